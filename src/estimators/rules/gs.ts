import { BOUND, StratifiedBound } from '../uncertainty/stratified-bound.js';
import type { RowEstimator } from './estimator.js';
import type { WeightingRule } from './weighting-rule.js';

/**
 * The generalised stratified estimator: rows of one stratum share their weight.
 *
 * user: R_u = Σ_v s_v (A_v / n_v) / W over S_u, then the mean over users; n_v rows, A_v = Σ λ and
 * s_v = Σ w in stratum v, W = Σ_v s_v. pooled: the same with n_v, A_v, s_v over all rows.
 * Source: generalized-stratified, eqs. 5 and 6, with n̂_u = Σ 1/P.
 * Bias: between naive's (one stratum) and SNIPS's (a stratum for each row); variance the other way
 * round. Value in [min λ, max λ]; O(rows + strata met).
 *
 * Σ a² = Σ_u Σ_v s_v² / n_v / W²: a row weighs s_v / n_v / W.
 *
 * @param strata number of strata S.
 * @returns the rule; a user whose weights vanish below the smallest number is left out.
 * By hand: one stratum: gains 1, 0 with weights 1, 3 give 1/2.
 */
export function gsRule(strata: number): WeightingRule {
  const rows = new Float64Array(strata);
  const sums = new Float64Array(strata);
  const slopes = new Float64Array(strata);
  return {
    dependsOnGamma: true,
    squaresUserRows: true,
    weigh(selection, out) {
      const { start, users, weight, weightSlope, stratum, gainful } = selection;
      const { mean, meanSlope } = selection.strata;
      let slopeTotal = 0;
      let squares = 0;
      for (let u = 0; u < users; u++) {
        const from = start[u];
        const to = start[u + 1];
        let total = 0;
        let slope = 0;
        for (let i = from; i < to; i++) {
          rows[stratum[i]]++;
          sums[stratum[i]] += weight[i];
          slopes[stratum[i]] += weightSlope[i];
          total += weight[i];
          slope += weightSlope[i];
        }
        out.userDenominator.values[u] = total > 0 ? 1 : 0;
        const scale = total > 0 ? 1 / total : 0;
        for (let i = from; i < to; i++) {
          const v = stratum[i];
          out.pooled[i] = mean[v];
          slopeTotal += meanSlope[v];
          if (gainful[i] === 0) continue;
          out.user[i] = (sums[v] / rows[v]) * scale;
          out.userSlope[i] = ((slopes[v] - sums[v] * slope * scale) / rows[v]) * scale;
          out.pooledSlope[i] = meanSlope[v];
        }
        let own = 0;
        for (let i = from; i < to; i++) {
          const v = stratum[i];
          if (rows[v] === 0) continue;
          own += (sums[v] * sums[v]) / rows[v];
          rows[v] = 0;
          sums[v] = 0;
          slopes[v] = 0;
        }
        squares += own * scale * scale;
      }
      out.pooledSlopeTotal = slopeTotal;
      out.squaredUserRows = squares;
    },
  };
}

export const gs: RowEstimator = {
  kind: 'weighted',
  inWords: 'as snips, with one weight for all items of a stratum of similar popularity',
  isDefault: true,
  cost: 4,
  needs: { itemWeights: true, strata: true, scaleFor: BOUND },
  rule({ scale, options: { strata, guarantees } }) {
    const rule = gsRule(strata);
    if (scale === null || !guarantees.includes(BOUND)) return rule;
    return { ...rule, ownSums: () => new StratifiedBound(scale, strata) };
  },
};
