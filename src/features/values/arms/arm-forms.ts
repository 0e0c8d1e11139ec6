import { effectiveSampleSize } from '../../../estimators/uncertainty/effective-sample-size.js';
import type { Influences } from '../influences.js';
import type { ArmSums } from './arm-sums.js';
import { CellMeans } from './cell-means.js';

/**
 * IPS estimate V = Σ X / Q, with X the rewards of a request weighted by θ_{r_m} / P; see
 * `weighArms`.
 *
 * Residuals: e = X − mean of its stratum and arm with empirical shares, e = X − V with declared
 * ones; the two are not mixed. Variance U / (U − 1) Σ_u (Σ_{q∈u} e)² / Q², with U clusters of
 * requests. Unbiased for the part of m's lists that some arm covers.
 */
export function armsIps(sums: ArmSums, m: number, isEmpirical: boolean): Influences {
  return linear(sums, m, isEmpirical, 'weighted');
}

/** Doubly robust form: IPS of the rewards minus their prediction, plus the prediction for m's lists. */
export function armsDr(sums: ArmSums, m: number, isEmpirical: boolean): Influences {
  return linear(sums, m, isEmpirical, 'doubly');
}

function linear(
  sums: ArmSums,
  m: number,
  isEmpirical: boolean,
  name: 'weighted' | 'doubly',
): Influences {
  const { ranks } = sums.shape;
  const column = sums[name].subarray(m * sums.cells, (m + 1) * sums.cells);
  const means = new CellMeans(sums, column);
  const byRank = sums[`${name}Slope`]
    .slice(m * ranks, (m + 1) * ranks)
    .map((each) => each / means.requests);
  return {
    value: means.total / means.requests,
    byCluster: means.influences(isEmpirical),
    byRank,
    ess: effectiveSampleSize(sums.rowWeights[m], sums.rowSquares[m]),
  };
}

/**
 * Self-normalised IPS estimate V = (Σ X / Σ C) (Σ T / Q), which corrects for how much of m's lists
 * the arms happened to show; see `weighArms`.
 *
 * ψ_q = V (X / ΣX − C / ΣC + T / ΣT − 1 / Q), variance Σ_u (Σ_{q∈u} ψ)² (Hájek, delta method).
 */
export function armsSnips(sums: ArmSums, m: number): Influences {
  const of = (column: Float64Array) =>
    new CellMeans(sums, column.subarray(m * sums.cells, (m + 1) * sums.cells));
  const x = of(sums.weighted);
  const c = of(sums.control);
  const t = of(sums.target);
  const value = ((x.total / c.total) * t.total) / x.requests;
  const byCluster = x.byCluster.map(
    (own, u) =>
      // V X / ΣX, written so that it is defined if nothing was rewarded.
      (own * t.total) / (c.total * x.requests) -
      value * (c.byCluster[u] / c.total - t.byCluster[u] / t.total + x.requestsOf[u] / x.requests),
  );
  const { ranks } = sums.shape;
  const byRank = Float64Array.from({ length: ranks }, (_, k) => {
    const at = m * ranks + k;
    const ofRewards = (sums.weightedSlope[at] * t.total) / (c.total * x.requests);
    return ofRewards + value * (sums.targetSlope[at] / t.total - sums.controlSlope[at] / c.total);
  });
  return {
    value,
    byCluster,
    byRank,
    ess: effectiveSampleSize(sums.rowWeights[m], sums.rowSquares[m]),
  };
}
