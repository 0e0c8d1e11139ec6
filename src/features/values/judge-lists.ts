import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { effectiveSampleSize } from '../../estimators/uncertainty/effective-sample-size.js';
import { clusterFactor } from './arms/cell-means.js';
import { standardError } from './influences.js';
import { type JudgedValue, judgedValue } from './judged-value.js';
import { FEW_REWARDS, MOST_ROW_SHARE, MOST_SHRINKAGE_Z, MOST_WEIGHT_Z } from './limits.js';
import type { ItemSlopes } from './logged/item-slopes.js';
import type { LoggedSums } from './logged/logged-sums.js';
import { reason, type ValueReason } from './reasons.js';
import { valueDifference } from './value-difference.js';
import type { ValueEstimate } from './value-estimate.js';
import { zScore } from './z-score.js';

/** Additional inputs for estimates from logged propensities. */
interface ListFinish {
  /**
   * θ by rank; for item propensities only. If θ is estimated, `covariance` of log θ and `slopes`,
   * the derivatives of the sums, are given too.
   */
  readonly theta?: ArrayLike<number> | undefined;
  readonly covariance?: SquareMatrix | undefined;
  readonly slopes?: ItemSlopes | undefined;
  /** λ, the shrinkage of weights of `dros`. */
  readonly shrinkage?: number | undefined;
  /** Effective number of rewards per request under the logger. */
  readonly rewardRate?: number;
}

/**
 * Check estimates from logged propensities by their weights.
 *
 * An estimate is refused if one row has more than a tenth of all weight, or if weights do not
 * average to 1: then propensities are wrong, or the logger does not cover the target.
 *
 * Shrunk weights (`dros`) support no verdict, since their interval ignores the bias from shrinking.
 * The difference between `dros` and `dr` estimates this bias; beyond 3 standard errors of it,
 * `dros` is refused.
 *
 * Estimates by whole lists support no verdict if few lists have weight. If none of these happened
 * to be rewarded, the value and its error would be too low. So the expected number of rewards
 * counts: the effective number of requests times the logger's rewards per request.
 *
 * @param finish the same inputs as for the estimates.
 */
export function judgeLists(
  estimates: readonly ValueEstimate[],
  sums: LoggedSums,
  finish: ListFinish = {},
): JudgedValue[] {
  const { theta, covariance, shrinkage, slopes, rewardRate = Number.POSITIVE_INFINITY } = finish;
  const reasons: ValueReason[] = [];
  const share = sums.largest / sums.weightSum;
  if (share > MOST_ROW_SHARE) {
    reasons.push(
      reason('heavy_row', 'refused', {
        share,
        most: MOST_ROW_SHARE,
      }),
    );
  }
  const { mean, z } = meanWeight(sums, theta, covariance && slopes && { covariance, slopes });
  if (!(Math.abs(z) <= MOST_WEIGHT_Z)) {
    reasons.push(
      reason('mean_weight_off', 'refused', {
        mean,
        z,
        most: MOST_WEIGHT_Z,
      }),
    );
  }
  const expected = rewardRate * effectiveSampleSize(sums.weightSum, sums.weightSquares);
  const unshrunk = estimates.find(({ estimator }) => estimator.endsWith('_dr'));
  return estimates.map((estimate) => {
    const isShrunk = shrinkage !== undefined && estimate.estimator.endsWith('_dros');
    const own = isShrunk ? [ofShrinkage(shrinkage, estimate, unshrunk!, covariance)] : [];
    const isWhole = sums.places === 1 || estimate.estimator.startsWith('logged_list_');
    const isFew = isWhole && expected < FEW_REWARDS;
    const few = reason('few_rewards', 'undecided', {
      ess: expected,
      least: FEW_REWARDS,
    });
    const rewards = isFew && estimate.ess >= FEW_REWARDS ? [few] : [];
    return judgedValue(estimate, [...reasons, ...own, ...rewards]);
  });
}

function ofShrinkage(
  shrinkage: number,
  dros: ValueEstimate,
  dr: ValueEstimate,
  covariance?: SquareMatrix,
): ValueReason {
  const { value, stdErr } = valueDifference(dros, dr, covariance);
  const z = zScore(value, stdErr);
  const isRefused = !(Math.abs(z) <= MOST_SHRINKAGE_Z);
  const figures = {
    shrinkage,
    z,
    most: MOST_SHRINKAGE_Z,
  };
  return reason('weights_shrunk', isRefused ? 'refused' : 'undecided', figures);
}

/**
 * Mean weight of the positions, and its distance from 1 in clustered standard errors.
 *
 * Σ g w / Σ g, with g = θ of the rank for items and 1 otherwise. Its expectation is 1 if
 * propensities are right and support the target. z of the mean of Σ g (w − 1) per request, with U /
 * (U − 1) and the uncertainty of examination.
 */
export function meanWeight(
  sums: LoggedSums,
  theta?: ArrayLike<number>,
  examination?: {
    readonly covariance: SquareMatrix;
    readonly slopes: ItemSlopes;
  },
): {
  mean: number;
  z: number;
} {
  const { clusters, places, requests } = sums;
  const excess = new Float64Array(clusters);
  let weights = 0;
  let all = 0;
  let total = 0;
  for (let cell = 0; cell < clusters * places; cell++) {
    const size = theta?.[cell % places] ?? 1;
    weights += size * sums.weights[cell];
    all += size * sums.shown[cell];
    excess[Math.floor(cell / places)] += size * (sums.weights[cell] - sums.shown[cell]);
  }
  for (const each of requests) {
    total += each;
  }
  const mean = (weights - all) / total;
  const scale = Math.sqrt(clusterFactor(requests)) / total;
  const byCluster = excess.map((each, u) => scale * (each - requests[u] * mean));
  const byRank = examination?.slopes.ofBalance(sums) ?? new Float64Array(0);
  const stdErr = standardError({ byCluster, byRank }, examination?.covariance);
  return {
    mean: weights / all,
    z: zScore(mean, stdErr),
  };
}
