import type { LoggedSums } from '../logged/logged-sums.js';
import type { ValueEstimate } from '../value-estimate.js';
import { type JudgedValue, judgedValue } from './judged-value.js';
import { MOST_ROW_SHARE, MOST_WEIGHT_Z } from './limits.js';
import { meanWeight } from './mean-weight.js';
import { reason, type ValueReason } from './reasons.js';

/**
 * Holds estimates by logged propensities against what their weights say.
 *
 * Refused, where one row has more than a tenth of all weights, or weights do not average to 1: then
 * propensities are wrong, or the logger cannot show what the target would.
 *
 * @param theta θ by rank, of items alone.
 */
export function judgeLists(
  estimates: readonly ValueEstimate[],
  sums: LoggedSums,
  theta?: ArrayLike<number>,
): JudgedValue[] {
  const reasons: ValueReason[] = [];
  const share = sums.largest / sums.weightSum;
  if (share > MOST_ROW_SHARE) {
    reasons.push(reason('heavy_row', 'refused', { share, most: MOST_ROW_SHARE }));
  }
  const { mean, z } = meanWeight(sums, theta);
  if (!(Math.abs(z) <= MOST_WEIGHT_Z)) {
    reasons.push(reason('mean_weight_off', 'refused', { mean, z, most: MOST_WEIGHT_Z }));
  }
  return estimates.map((estimate) => judgedValue(estimate, reasons));
}
