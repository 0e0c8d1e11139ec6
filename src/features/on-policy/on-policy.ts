import { SHOWN_LISTS } from '../../estimators/names.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { effectiveSampleSize } from '../../estimators/uncertainty/effective-sample-size.js';
import { logTInterval, signedInterval } from '../../estimators/uncertainty/log-t-interval.js';
import { type Strata, strataOf } from '../../estimators/uncertainty/time-strata.js';
import { NO_REASONS } from '../../rows/reading.js';
import {
  LISTED_ELSEWHERE,
  SERVED_MODEL,
  type ServedLists,
} from '../../state/panes/served-lists.js';
import type { OnPolicyReport, OnPolicyRow } from './report.js';
import { countOwnLists, ServedBuckets, type ServedWindow } from './served-window.js';

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
 * shown. It says nothing about models that were never shown. Strata are runs of time
 * (`strataOf`): the plain mean of an arm that grows follows the time of its growth. Lists that
 * were drawn at random count for a model that has no others.
 *
 * **Source**: W. G. Cochran, Sampling Techniques, 1977, chapter 5 (stratified means), with errors
 * clustered by user. Unbiased where lists are divided at random within strata. O(lists · models).
 *
 * @param parts of the window, disjoint in users, whose numbers are a part's own.
 * @param models names, in the order of the parts' columns. @param window in ms of event time.
 * @param least lists of a model in a stratum. @param rounds bring the sums of all partitions together,
 * where some of them are elsewhere: three rounds.
 * @returns models in their order, none that was not shown; no values if no interaction names a
 * list: then rewards are unknown and not 0. Yields now and then.
 * Four users, one list of `a` for each, of whom three clicked, give `a` the value 0.75.
 */
export function* onPolicyReport(
  parts: readonly (readonly ServedLists[])[],
  models: readonly string[],
  window: ServedWindow,
  least = LEAST_LISTS,
  rounds: Rounds,
): Generator<void, OnPolicyReport> {
  const size = models.length;
  const found = yield* rounds.gather(new NumberSums(2 + size), parts, function* look(sums, part) {
    for (const served of part) {
      addNamed(served, window, sums.values);
      countOwnLists(served, window, sums.values.subarray(2));
      yield;
    }
  });
  const [named, elsewhere] = found.values;
  if (named === 0) return { refused: 'exposures_not_named', values: [], named, elsewhere };
  const buckets = new ServedBuckets(found.values.subarray(2), window);
  const none = new NumberSums(buckets.size);
  const { values: sums } = yield* rounds.gather(none, parts, function* add(own, part) {
    for (const served of part) {
      buckets.add(served, own.values);
      yield;
    }
  });
  const strata = models.map((_, m) => {
    const { all, lists, reward } = buckets.of(m, sums);
    return strataOf(all, lists, reward, least);
  });
  const spreads = yield* rounds.gather(
    new NumberSums(SPREAD * size),
    parts,
    function* spread(own, part) {
      for (const [m, each] of strata.entries()) {
        if (each.count > 0) addSpread(part, m, each, buckets, own.values.subarray(SPREAD * m));
        yield;
      }
    },
  );
  const values = models.flatMap((model, m): OnPolicyRow[] => {
    const spread = spreads.values.subarray(SPREAD * m, SPREAD * (m + 1));
    return strata[m].count === 0 ? [] : [rowOf(model, strata[m], spread)];
  });
  return { refused: null, values, named, elsewhere };
}

/** Adds interactions that name a list, and those of them that name one that is not known. */
function addNamed(
  { length, model, lists, shownAt }: ServedLists,
  { from }: ServedWindow,
  into: Float64Array,
): void {
  for (let r = 0; r < length; r++) {
    if (lists[r] === 1 || shownAt[r] < from) continue;
    into[0]++;
    if ((model[r] & SERVED_MODEL) === LISTED_ELSEWHERE) into[1]++;
  }
}

/**
 * How far the users' sums of a model's residuals are spread: users, Σ_u (Σ e)², then Σ_u |g| and Σ_u g² of
 * what each user's lists gained, g, weighted as the mean is; how much of Σ_u |g| is losses; and how many
 * interactions earned.
 */
const SPREAD = 6;

/** Takes all rows of some users. */
function addSpread(
  part: readonly ServedLists[],
  model: number,
  { of, all, own, mean }: Strata,
  buckets: ServedBuckets,
  into: Float64Array,
): void {
  const users = usersOf(part);
  const residual = new Float64Array(users);
  const gain = new Float64Array(users);
  const isShown = new Uint8Array(users);
  const first = model * buckets.buckets;
  for (const served of part) {
    const { length, user, lists, reward } = served;
    for (let r = 0; r < length; r++) {
      if ((served.model[r] & SERVED_MODEL) !== model) continue;
      const cell = buckets.cellOf(served, r);
      if (cell < 0) continue;
      const t = of[cell - first];
      const weight = all[t] / own[t];
      isShown[user[r]] = 1;
      residual[user[r]] += weight * (reward[r] - lists[r] * mean[t]);
      gain[user[r]] += weight * reward[r];
      if (reward[r] !== 0) into[5]++;
    }
  }
  for (let u = 0; u < users; u++) {
    into[0] += isShown[u];
    into[1] += residual[u] ** 2;
    into[2] += Math.abs(gain[u]);
    into[3] += gain[u] ** 2;
    if (gain[u] < 0) into[4] -= gain[u];
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

function rowOf(
  model: string,
  { count, all, own, mean }: Strata,
  [users, squares, gained, gainedSquares, lost, clicks]: Float64Array,
): OnPolicyRow {
  const requests = sum(all);
  const lists = sum(own);
  const value = mean.reduce((total, each, t) => total + (all[t] / requests) * each, 0);
  const freedom = ((users - 1) / users) * ((lists - count) / (lists - 1));
  const stdErr = freedom > 0 ? Math.sqrt(squares / freedom) / requests : Number.NaN;
  const ess = effectiveSampleSize(gained, gainedSquares);
  const interval = lost > 0 ? signedInterval : logTInterval;
  const [lower, upper] = interval(value, stdErr, ess);
  const { metric, estimator } = SHOWN_LISTS;
  return {
    family: 'on_policy',
    model,
    metric,
    k: null,
    estimator,
    form: 'list',
    value,
    stdErr,
    lower,
    upper,
    ess,
    counts: { lists, users, clicks },
    status: 'given',
    reasons: NO_REASONS,
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
