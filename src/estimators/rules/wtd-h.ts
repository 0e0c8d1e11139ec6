import { interventionWeight } from '../interventions/intervention-weights.js';
import type { Intervention } from './estimator.js';

/**
 * WTD_H: draws a test set like WTD, but towards an assumed uniform distribution over users and
 * items instead of a measured one.
 *
 * w = 1 / ((n_u + κ) (n_i + κ)^p), n the user's and the item's interactions in the popularity
 * horizon, κ the smoothing, p the `posteriorExponent`. Source: Carraro & Bridge 2020, sections 4.2
 * and 4.3 (hypothesised distribution). Bias: see `intervened`.
 */
export const wtd_h: Intervention = {
  kind: 'intervention',
  inWords: 'expected on a test set sampled towards evenly spread users and items; needs no γ',
  isDefault: true,
  cost: 10,
  needs: {},
  weights: {
    user: (n, _, smoothing) => interventionWeight(n, smoothing, 1),
    item: (n, _, smoothing, exponent) => interventionWeight(n, smoothing, exponent),
    hasExponent: true,
  },
};
