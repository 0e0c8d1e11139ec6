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

/**
 * Least number of lists of the model in a stratum, so that their mean and variance can be
 * estimated.
 */
const LEAST_LISTS = 20;

/**
 * Estimate the mean reward per served list, by model.
 *
 * V(a) = Σ_t (Q_t / Q) · c̄_ta for model a. Q_t is the number of lists in stratum t, Q the number
 * in all strata in which a was served, and c̄_ta the mean reward c of a's lists in t. Residuals e =
 * 1{a} (c − c̄_ta) Q_t / Q_ta, with Q_ta the number of a's lists in t, give stdErr² = U / (U − 1) ·
 * (N − 1) / (N − S) · Σ_u (Σ_{q∈u} e_q)² / Q², where U users u were served N lists q of a in S
 * strata. The interval is V exp(± t stdErr / V). t has ESS − 1 degrees of freedom, but at least 1
 * and at most 63; ESS is computed from the reward of each user's lists. If some users' rewards are
 * negative, the interval is V ± t stdErr.
 *
 * The reward of a list is the value of the best action on each of its items, by the end of the
 * window. It needs only interactions that state the id of their list: no click model, no
 * propensities and no shadow lists. The estimate says nothing about models that were never served.
 * Strata are runs of time (`strataOf`), because the plain mean of an arm whose traffic grows would
 * depend on when it grew. Randomised lists count only for a model that has no others.
 *
 * **Source**: W. G. Cochran, Sampling Techniques, 1977, chapter 5 (stratified means), with errors
 * clustered by user. Unbiased if lists are assigned at random within strata. O(lists · models).
 *
 * @param served lists and interactions of the window. @param models names, by their numbers in
 * `served`.
 * @param window event time, ms. @param least fewest lists of a model in a stratum.
 * @returns the served models in their order; no values if no interaction names a list, since
 * rewards are then unknown and not 0. Example: if each of four users was served one list of `a` and
 * three of them clicked, the value of `a` is 0.75.
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

/**
 * Number of interactions that are attributed to a list by id, and number of those whose list is
 * unknown.
 */
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

/** Number of users: one more than the largest user number, since numbers are dense. */
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

/**
 * Sums over users from which the standard error and the interval of a model's mean reward are
 * computed.
 */
interface Spread {
  /** Number of users who were served a list of the model. */
  readonly users: number;
  /** Σ_u (Σ_{q∈u} e_q)², with the residuals e of `onPolicyReport`. */
  readonly squares: number;
  /**
   * Σ_u |g|, with g the reward of a user's lists. Each list has the weight that it has in the mean.
   */
  readonly gained: number;
  /** Σ_u g². */
  readonly gainedSquares: number;
  /** Part of Σ_u |g| that comes from negative g. */
  readonly lost: number;
  /** Number of interactions with a reward. */
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
  // In the order of users' first rows. User numbers may differ in another process, and sums in
  // their order would then round differently.
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
