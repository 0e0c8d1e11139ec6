import {
  LISTED_ELSEWHERE,
  SERVED_MODEL,
  type ServedLists,
} from '../../state/panes/served/served-lists.js';
import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import { logTInterval } from './log-t-interval.js';
import type { OnPolicyReport, OnPolicyValue } from './on-policy-report.js';
import { ServedCounts, type ServedWindow } from './served-window.js';
import { type Strata, strataOf } from './strata.js';

/** A stratum holds this many lists of the model, so that its mean and the spread around it are known. */
const LEAST_LISTS = 20;

/**
 * The mean reward of a shown list, by the model that made it.
 *
 * V(a) = Σ_t (Q_t / Q) · c̄_ta, Q_t the lists of stratum t among the Q of all strata in which a was
 * shown, c̄_ta the mean reward of a's lists there. Residuals e = 1{a} (c − c̄_ta) Q_t / Q_ta give
 * stdErr² = U / (U − 1) · (N − 1) / (N − S) · Σ_u (Σ_{q∈u} e_q)² / Q², U users who were shown one of
 * N lists of a in S strata. The interval is V exp(± t stdErr / V), t with ESS − 1 degrees of
 * freedom, 1 to 63, ESS of what the users' lists gained.
 *
 * The reward of a list is what its items' best actions are worth by the end of the window. Named
 * exposures suffice for it: it needs no model of clicks, no propensity and no lists that were not
 * shown. It says nothing about models that were shown to nobody. Strata are runs of time
 * (`strataOf`): the plain mean of an arm that grows follows the time of its growth. Lists that
 * were drawn at random count for a model that has no others.
 *
 * **Source**: W. G. Cochran, Sampling Techniques, 1977, chapter 5 (stratified means), with errors
 * clustered by user. Unbiased where lists are divided at random within strata. O(lists · models).
 *
 * @param parts of the window, disjoint in users, whose numbers are a part's own.
 * @param models names, in the order of the parts' columns. @param window in ms of event time.
 * @param least lists of a model in a stratum.
 * @returns models in their order, none that was not shown; no values if no interaction names a
 * list: then rewards are unknown and not 0. Yields now and then.
 * Four users, one list of `a` for each, of whom three clicked, give `a` the value 0.75: the example of
 * `onPolicyValues`.
 */
export function* onPolicyReport(
  parts: readonly (readonly ServedLists[])[],
  models: readonly string[],
  window: ServedWindow,
  least = LEAST_LISTS,
): Generator<void, OnPolicyReport> {
  const counts = new ServedCounts(models.length, window);
  const all = parts.flat();
  for (const served of all) counts.look(served);
  yield;
  for (const served of all) {
    counts.add(served);
    yield;
  }
  const { named, elsewhere } = namedIn(all, window);
  if (named === 0) return { refused: 'exposures_not_named', values: [], named, elsewhere };
  const values: OnPolicyValue[] = [];
  for (const [m, model] of models.entries()) {
    const { lists, reward, buckets } = counts;
    const of = (column: Float64Array) => column.subarray(m * buckets, (m + 1) * buckets);
    const strata = strataOf(counts.all, of(lists), of(reward), least);
    if (strata.count === 0) continue;
    const spread = new Spread(m, strata, counts);
    for (const part of parts) {
      spread.add(part);
      yield;
    }
    values.push({ model, ...figuresOf(strata, spread) });
  }
  return { refused: null, values, named, elsewhere };
}

/** Interactions that name a list, and those of them that name one that is not known. */
function namedIn(
  all: readonly ServedLists[],
  { from }: ServedWindow,
): Pick<OnPolicyReport, 'named' | 'elsewhere'> {
  let named = 0;
  let elsewhere = 0;
  for (const { length, model, lists, shownAt } of all) {
    for (let r = 0; r < length; r++) {
      if (lists[r] === 1 || shownAt[r] < from) continue;
      named++;
      if ((model[r] & SERVED_MODEL) === LISTED_ELSEWHERE) elsewhere++;
    }
  }
  return { named, elsewhere };
}

/** How far the users' sums of a model's residuals are spread. */
class Spread {
  users = 0;
  /** Σ_u (Σ e)². */
  squares = 0;
  /** Of what the users' lists gained, weighted as the mean is. */
  gained = 0;
  gainedSquares = 0;
  readonly #model: number;
  readonly #strata: Strata;
  readonly #counts: ServedCounts;

  constructor(model: number, strata: Strata, counts: ServedCounts) {
    this.#model = model;
    this.#strata = strata;
    this.#counts = counts;
  }

  /** Takes all rows of some users. */
  add(part: readonly ServedLists[]): void {
    const users = usersOf(part);
    const residual = new Float64Array(users);
    const gain = new Float64Array(users);
    const isShown = new Uint8Array(users);
    const first = this.#model * this.#counts.buckets;
    const { of, all, own, mean } = this.#strata;
    for (const served of part) {
      const { length, user, model, lists, reward } = served;
      for (let r = 0; r < length; r++) {
        if ((model[r] & SERVED_MODEL) !== this.#model) continue;
        const cell = this.#counts.cellOf(served, r);
        if (cell < 0) continue;
        const t = of[cell - first];
        const weight = all[t] / own[t];
        isShown[user[r]] = 1;
        residual[user[r]] += weight * (reward[r] - lists[r] * mean[t]);
        gain[user[r]] += weight * reward[r];
      }
    }
    for (let u = 0; u < users; u++) {
      this.users += isShown[u];
      this.squares += residual[u] ** 2;
      this.gained += gain[u];
      this.gainedSquares += gain[u] ** 2;
    }
  }
}

/** One above the largest number of a user: they are dense. */
function usersOf(part: readonly ServedLists[]): number {
  let users = 0;
  for (const { length, user } of part) {
    for (let r = 0; r < length; r++) if (user[r] >= users) users = user[r] + 1;
  }
  return users;
}

function figuresOf(
  { count, all, own, mean }: Strata,
  { users, squares, gained, gainedSquares }: Spread,
): Omit<OnPolicyValue, 'model'> {
  const requests = sum(all);
  const lists = sum(own);
  const value = mean.reduce((total, each, t) => total + (all[t] / requests) * each, 0);
  const freedom = ((users - 1) / users) * ((lists - count) / (lists - 1));
  const stdErr = freedom > 0 ? Math.sqrt(squares / freedom) / requests : Number.NaN;
  const ess = effectiveSampleSize(gained, gainedSquares);
  const [lower, upper] = logTInterval(value, stdErr, ess);
  return { value, stdErr, lower, upper, lists, users, ess };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
