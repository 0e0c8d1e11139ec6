import { correctedSnipsRule } from './corrected-user-form.js';
import type { RowEstimator } from './estimator.js';
import type { WeightingRule } from './weighting-rule.js';

/**
 * Create the rule of self-normalised inverse propensity scoring (snips).
 *
 * user: R_u = Σ w_i λ_i / Σ w_i over the rows of user u, then the mean over users; pooled: Σ wλ / Σ
 * w over all rows; w_i = 1 / P_i up to a factor that cancels.
 * Source: Yang et al. 2018, eq. 11.
 * Bias: O(1/n) from the normalisation; with one row per user the user form equals naive. Value in
 * [min λ, max λ]; O(rows).
 *
 * @returns the rule; a user whose weights underflow is left out.
 * By hand: gains 1, 0 with weights 1, 3: 1/4.
 */
export function snipsRule(): WeightingRule {
  return {
    dependsOnGamma: true,
    weigh(selection, out) {
      const { start, users, weight, weightSlope, gainful } = selection;
      let slopeTotal = 0;
      for (let u = 0; u < users; u++) {
        let total = 0;
        let slope = 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          total += weight[i];
          slope += weightSlope[i];
        }
        slopeTotal += slope;
        out.userDenominator.values[u] = total > 0 ? 1 : 0;
        const scale = total > 0 ? 1 / total : 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          out.pooled[i] = weight[i];
          if (gainful[i] === 0) continue;
          out.user[i] = weight[i] * scale;
          out.userSlope[i] = (weightSlope[i] - weight[i] * slope * scale) * scale;
          out.pooledSlope[i] = weightSlope[i];
        }
      }
      out.pooledSlopeTotal = slopeTotal;
    },
  };
}

export const snips: RowEstimator = {
  kind: 'weighted',
  inWords: 'weighted by 1 / propensity, divided by the sum of the weights; shown first',
  isDefault: true,
  cost: 3,
  needs: { itemWeights: true },
  rule: ({ options: { userForm } }) =>
    userForm === 'corrected' ? correctedSnipsRule() : snipsRule(),
};
