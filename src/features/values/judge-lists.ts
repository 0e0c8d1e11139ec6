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

/** What estimates by logged propensities were finished with. */
interface ListFinish {
  /** θ by rank, and where it is not known the covariance of log θ and what follows it; of items alone. */
  readonly theta?: ArrayLike<number> | undefined;
  readonly covariance?: SquareMatrix | undefined;
  readonly slopes?: ItemSlopes | undefined;
  /** λ, by which weights of `dros` were shrunk. */
  readonly shrinkage?: number | undefined;
  /** Effective rewards of a request under the logger. */
  readonly rewardRate?: number;
}

/**
 * Holds estimates by logged propensities against what their weights say.
 *
 * Refused, where one row has more than a tenth of all weights, or weights do not average to 1: then
 * propensities are wrong, or the logger cannot show what the target would.
 *
 * No verdict rests on shrunk weights, whose bias no interval knows. What they are off by on average is
 * what `dros` differs from `dr` by: beyond 3 standard errors of that it is refused.
 *
 * Nor does one rest on whole lists of which few weigh much: where by chance none of these was rewarded,
 * rewards seem many, a value is too low and its error too small. So many are counted as the effective
 * requests would have had under the logger.
 *
 * @param finish as the estimates were given it.
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
 * The mean weight of the places and how many standard errors it is off 1, clustered.
 *
 * Σ g w / Σ g, g = θ of the rank for items and 1 for all others: with right propensities that support
 * the target it is 1 on average. z of mean Σ g (w − 1) a request, with U / (U − 1), and with what
 * examination is uncertain by.
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
