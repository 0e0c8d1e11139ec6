import type { Intervention } from './estimator.js';

/**
 * WTD_IPF: draws a test set with weights raked until all users have the same total weight, and all
 * items too.
 *
 * w = a_u b_i with Σ_i w = 1 / U for each of U users and Σ_u w = 1 / I for each of I items. Source:
 * see `rake`; the use is ours. Bias: see `intervened`; margins are exactly uniform if the rows
 * permit.
 */
export const wtd_ipf: Intervention = {
  kind: 'intervention',
  inWords: 'expected on a test set with weights raked until users and items are spread evenly',
  cost: 20,
  needs: {},
  weights: 'raked',
};
