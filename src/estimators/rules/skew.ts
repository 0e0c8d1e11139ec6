import { interventionWeight } from '../interventions/intervention-weights.js';
import type { Intervention } from './estimator.js';

/**
 * SKEW: draws a test set in which rows of popular items are less likely.
 *
 * w = 1 / (n_i + κ), n_i the item's interactions in the popularity horizon, κ the smoothing.
 * Source: Carraro & Bridge 2020, section 5.3. Bias: see `intervened`; the distribution over users
 * is not corrected.
 */
export const skew: Intervention = {
  kind: 'intervention',
  inWords: 'expected on a test set sampled with weight 1 / popularity of the item; needs no γ',
  isDefault: true,
  cost: 6,
  needs: {},
  weights: {
    user: null,
    item: (n, _, smoothing) => interventionWeight(n, smoothing, 1),
  },
};
