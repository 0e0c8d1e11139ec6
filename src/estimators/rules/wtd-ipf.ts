import type { Intervention } from './estimator.js';

/**
 * WTD_IPF: weights raked until every user and every item of the rows carries the same.
 *
 * w = a_u b_i with Σ_i w = 1 / U for each user and Σ_u w = 1 / I for each item.
 * Source: see `rake`; the use is ours.
 * Bias: see `intervened`; margins are uniform exactly, where the rows let them be.
 */
export const wtd_ipf: Intervention = {
  kind: 'intervention',
  inWords: 'the same, raked until users and items are spread evenly',
  cost: 20,
  needs: {},
  weights: 'raked',
};
