import type { LoggedLists, TargetedLists } from './logged-lists.js';
import { LoggedSums, type LoggedUnit } from './logged-sums.js';

/** How the weights are modified. */
export interface LoggedWeights {
  /** λ of `dros`: w becomes λ w / (w² + λ); without it `dros` is not reported. */
  readonly shrinkage?: number;
  /** Upper limit on weights; none by default, since clipping causes bias. */
  readonly weightCap?: number;
}

/**
 * Weight the positions of logged lists for a target, and sum them.
 *
 * The ratio of a position is target / propensity. The weight w is this ratio for `slot` and `item`,
 * the product of the ratios from the top down to the position for `prefix`, and the product over
 * all positions for `list`. v, the weight of the positions above, differs from 1 for `prefix` only.
 * O(rows).
 *
 * @param log see `LoggedLists`, in order. @param sums output.
 */
export function weighLists(
  log: TargetedLists,
  unit: LoggedUnit,
  { shrinkage = Number.NaN, weightCap = Number.POSITIVE_INFINITY }: LoggedWeights,
  sums = new LoggedSums(log.places, log.clusters),
): LoggedSums {
  for (let q = 0; q < log.requests; q++) {
    sums.requests[log.cluster[q]]++;
  }
  let above = 1;
  let whole = 1;
  for (let row = 0; row < log.length; row++) {
    if (log.rank[row] === 0) {
      above = 1;
    }
    if (log.rank[row] === 0 && unit === 'list') {
      whole = wholeWeight(log, row);
    }
    const own = log.target[row] / log.propensity[row];
    const weight = unit === 'list' ? whole : unit === 'prefix' ? above * own : own;
    const used = Math.min(weight, weightCap);
    addPlace(sums, log, row, {
      weight: used,
      above: unit === 'prefix' ? above : 1,
      shrinkage,
    });
    if (unit !== 'list' || log.rank[row] === 0) {
      addWeight(sums, used);
    }
    above *= own;
  }
  return sums;
}

/**
 * Weight of a whole list: Π target / propensity over the positions of a request, starting at its
 * first.
 */
function wholeWeight(
  { length, request, target, propensity }: TargetedLists,
  first: number,
): number {
  let weight = 1;
  for (let row = first; row < length && request[row] === request[first]; row++) {
    weight *= target[row] / propensity[row];
  }
  return weight;
}

/** The weight of a position, the weight of the positions above it, and λ. */
interface PlaceWeights {
  readonly weight: number;
  readonly above: number;
  readonly shrinkage: number;
}

function addPlace(
  sums: LoggedSums,
  log: LoggedLists,
  row: number,
  { weight, above, shrinkage }: PlaceWeights,
): void {
  const at = log.cluster[log.request[row]] * sums.places + log.rank[row];
  const reward = log.reward[row];
  const predicted = log.predicted?.[row] ?? 0;
  const weighted = weight * reward;
  sums.weighted[at] += weighted;
  sums.weights[at] += weight;
  sums.predicted[at] += weight * predicted;
  sums.baseline[at] += above * (log.expected?.[row] ?? 0);
  sums.before[at] += above;
  sums.shown[at]++;
  const shrunk = (shrinkage * weight) / (weight * weight + shrinkage);
  sums.shrunk[at] += shrunk * (reward - predicted);
  sums.rewardSum += Math.abs(weighted);
  if (weighted < 0) {
    sums.lossSum -= weighted;
  }
  sums.rewardSquares += weighted * weighted;
}

function addWeight(sums: LoggedSums, weight: number): void {
  sums.weightSum += weight;
  sums.weightSquares += weight * weight;
  if (weight > sums.largest) {
    sums.largest = weight;
  }
}
