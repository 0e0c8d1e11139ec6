import type { Intervention } from './estimator.js';

/**
 * FULL: the test set is every organic row of the window, as a baseline for the other interventions.
 *
 * w = 1, and all rows are kept: π = 1. Source: Carraro & Bridge 2020, section 5.3. Bias: as naive,
 * which it equals if every positive row is ranked.
 */
export const full: Intervention = {
  kind: 'intervention',
  inWords: 'all interactions as the test set: the baseline for the test sets below',
  cost: 6,
  needs: {},
  weights: {
    user: null,
    item: null,
  },
  keepsAll: true,
};
