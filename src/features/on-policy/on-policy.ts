import { SHOWN_LISTS } from '../../estimators/names.js';
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
import { ServedBuckets, type ServedWindow } from './served-window.js';

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
 * @param served of the window. @param models names, by the numbers that `served` has for them.
 * @param window in ms of event time. @param least lists of a model in a stratum.
 * @returns models in their order, none that was not shown; no values if no interaction names a
 * list: then rewards are unknown and not 0.
 * Four users, one list of `a` for each, of whom three clicked, give `a` the value 0.75.
 */
export function onPolicyReport(
  served: readonly ServedLists[],
  models: readonly string[],
  window: ServedWindow,
  least = LEAST_LISTS,
): OnPolicyReport {
  const { named, elsewhere } = namedIn(served, window);
  if (named === 0) {
    return {
      refused: 'exposures_not_named',
      values: [],
      named,
      elsewhere,
    };
  }
  const buckets = new ServedBuckets(models.length, window);
  buckets.fill(served);
  const users = usersOf(served);
  const values: OnPolicyRow[] = [];
  for (const [m, model] of models.entries()) {
    const { all, lists, reward } = buckets.of(m);
    const strata = strataOf(all, lists, reward, least);
    if (strata.count === 0) continue;
    const spread = spreadOf(served, m, {
      buckets,
      strata,
      users,
    });
    values.push(rowOf(model, strata, spread));
  }
  return {
    refused: null,
    values,
    named,
    elsewhere,
  };
}

/** Interactions that name a list, and those of them that name one that is not known. */
function namedIn(served: readonly ServedLists[], { from }: ServedWindow) {
  let named = 0;
  let elsewhere = 0;
  for (const { length, model, lists, shownAt } of served) {
    for (let r = 0; r < length; r++) {
      if (lists[r] === 1 || shownAt[r] < from) continue;
      named++;
      if ((model[r] & SERVED_MODEL) === LISTED_ELSEWHERE) {
        elsewhere++;
      }
    }
  }
  return { named, elsewhere };
}

/** One above the largest number of a user: they are dense. */
function usersOf(served: readonly ServedLists[]): number {
  let users = 0;
  for (const { length, user } of served) {
    for (let r = 0; r < length; r++) {
      if (user[r] >= users) {
        users = user[r] + 1;
      }
    }
  }
  return users;
}

/** How far users' sums of a model's residuals are spread, and what their lists gained. */
interface Spread {
  /** Users who were shown a list of the model. */
  readonly users: number;
  /** Σ_u (Σ e)². */
  readonly squares: number;
  /** Σ_u |g| and Σ_u g² of what each user's lists gained, g, weighted as the mean is. */
  readonly gained: number;
  readonly gainedSquares: number;
  /** How much of Σ_u |g| is losses. */
  readonly lost: number;
  /** Interactions that earned. */
  readonly clicks: number;
}

function spreadOf(
  served: readonly ServedLists[],
  model: number,
  by: {
    readonly buckets: ServedBuckets;
    readonly strata: Strata;
    readonly users: number;
  },
): Spread {
  const { of, all, own, mean } = by.strata;
  const residual = new Float64Array(by.users);
  const gain = new Float64Array(by.users);
  const isShown = new Uint8Array(by.users);
  // In the order of their first rows: users' numbers may be others in another process, and sums over
  // users would round otherwise.
  const shown: number[] = [];
  let clicks = 0;
  for (const rows of served) {
    const { length, user, lists, reward } = rows;
    for (let r = 0; r < length; r++) {
      if ((rows.model[r] & SERVED_MODEL) !== model) continue;
      const bucket = by.buckets.bucketOf(rows, r);
      if (bucket < 0) continue;
      const t = of[bucket];
      const weight = all[t] / own[t];
      const u = user[r];
      if (isShown[u] === 0) {
        shown.push(u);
      }
      isShown[u] = 1;
      residual[u] += weight * (reward[r] - lists[r] * mean[t]);
      gain[u] += weight * reward[r];
      if (reward[r] !== 0) {
        clicks++;
      }
    }
  }
  let squares = 0;
  let gained = 0;
  let gainedSquares = 0;
  let lost = 0;
  for (const u of shown) {
    squares += residual[u] ** 2;
    gained += Math.abs(gain[u]);
    gainedSquares += gain[u] ** 2;
    if (gain[u] < 0) {
      lost -= gain[u];
    }
  }
  return {
    users: shown.length,
    squares,
    gained,
    gainedSquares,
    lost,
    clicks,
  };
}

function rowOf(
  model: string,
  { count, all, own, mean }: Strata,
  { users, squares, gained, gainedSquares, lost, clicks }: Spread,
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
    counts: {
      lists,
      users,
      clicks,
    },
    status: 'given',
    reasons: NO_REASONS,
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
