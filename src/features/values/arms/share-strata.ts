import type { ServedLog } from './served-log.js';

/**
 * Strata in which an arm served fewer requests than this are merged with others, since the variance
 * of an arm's mean cannot be estimated from one request.
 */
const LEAST_SERVED = 2;

/** Requests grouped by their declared shares, with the shares that weight them. */
export interface ShareStrata {
  readonly count: number;
  /** By declared stratum: index of its merged stratum. */
  readonly of: Int32Array;
  /**
   * The shares that weight requests: `share[stratum · arms + arm]` by declared stratum, or
   * `share[request · arms + arm]` with `isByRequest`.
   */
  readonly share: ArrayLike<number>;
  readonly isEmpirical: boolean;
  /** Whether each request has its own shares; all requests are then one stratum. */
  readonly isByRequest: boolean;
}

/**
 * Treat requests that each have their own shares as one stratum. Their declared shares are the
 * weights: with one request per set of shares, none can be counted from the log.
 */
export function sharesByRequest(share: ArrayLike<number>): ShareStrata {
  return {
    count: 1,
    of: new Int32Array(1),
    share,
    isEmpirical: false,
    isByRequest: true,
  };
}

/** Number of requests served by each arm, by declared stratum: `[stratum · arms + arm]`. */
export function servedCounts({
  requests: { length, arm, stratum },
  arms,
  shares,
}: ServedLog): Float64Array {
  const served = new Float64Array(shares.length * arms.length);
  for (let q = 0; q < length; q++) {
    served[stratum[q] * arms.length + arm[q]]++;
  }
  return served;
}

/**
 * Merge strata until each arm with a positive share was served at least twice, and compute the
 * shares of each.
 *
 * Neighbours in time are merged; the remainder is added to the last stratum.
 * Empirical shares are s_ta = Q_ta / Q_t within a merged stratum. They remove the variation of the
 * realised split, which reduces the spread of estimates by up to 41 %. Declared shares remain those
 * of each stratum. O(strata · arms).
 *
 * @param served see `servedCounts`. @param declared shares[stratum][arm].
 * @param least number of requests of each arm in a stratum.
 * @example
 * // one stratum, A served twice and B six times, declared alike
 * shareStrata([2, 6], [[0.5, 0.5]], true).share; // [0.25, 0.75]
 */
export function shareStrata(
  served: ArrayLike<number>,
  declared: readonly ArrayLike<number>[],
  isEmpirical: boolean,
  least = LEAST_SERVED,
): ShareStrata {
  const arms = declared[0]?.length ?? 0;
  const { count, of } = mergedStrata(served, declared, least);
  const share = new Float64Array(declared.length * arms);
  const within = new Float64Array(count * arms);
  for (let s = 0; s < served.length; s++) {
    within[of[Math.floor(s / arms)] * arms + (s % arms)] += served[s];
  }
  for (let t = 0; t < declared.length; t++) {
    const first = of[t] * arms;
    const total = within.subarray(first, first + arms).reduce((sum, each) => sum + each, 0);
    for (let a = 0; a < arms; a++) {
      // Without a served request in the stratum, no row uses this share.
      const empirical = total > 0 ? within[first + a] / total : 0;
      share[t * arms + a] = isEmpirical ? empirical : declared[t][a];
    }
  }
  return {
    count,
    of,
    share,
    isEmpirical,
    isByRequest: false,
  };
}

/**
 * The shares that weight the requests of a log: each request's own shares if the log has them,
 * otherwise the shares of strata.
 */
export function strataOfLog(
  log: ServedLog,
  isEmpirical: boolean,
  leastServed?: number,
): ShareStrata {
  const { share } = log.requests;
  if (share !== undefined) return sharesByRequest(share);
  return shareStrata(servedCounts(log), log.shares, isEmpirical, leastServed);
}

function mergedStrata(
  served: ArrayLike<number>,
  declared: readonly ArrayLike<number>[],
  least: number,
) {
  const arms = declared[0]?.length ?? 0;
  const of = new Int32Array(declared.length);
  const times = new Float64Array(arms);
  const mayBeServed = new Uint8Array(arms);
  let count = 0;
  let first = 0;
  for (let t = 0; t < declared.length; t++) {
    of[t] = count;
    for (let a = 0; a < arms; a++) {
      times[a] += served[t * arms + a];
      if (declared[t][a] > 0 || times[a] > 0) {
        mayBeServed[a] = 1;
      }
    }
    if (times.some((each, a) => mayBeServed[a] === 1 && each < least)) continue;
    times.fill(0);
    mayBeServed.fill(0);
    count++;
    first = t + 1;
  }
  // The remaining requests are too few for a stratum of their own.
  for (let t = first; t < of.length && count > 0; t++) {
    of[t] = count - 1;
  }
  return {
    count: Math.max(count, Math.min(1, declared.length)),
    of,
  };
}
