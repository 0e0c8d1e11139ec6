import { interventionWeight } from '../interventions/intervention-weights.js';
import type { Intervention } from './estimator.js';

/**
 * WTD_H: like WTD, but with an assumed uniform distribution over users and items as the target
 * instead of a measured one.
 *
 * w = 1 / ((n_u + κ) (n_i + κ)^p), n interactions in the popularity horizon. Source: Carraro &
 * Bridge 2020, sections 4.2 and 4.3 (hypothesised distribution). Bias: see `intervened`.
 */
export const wtd_h: Intervention = {
  kind: 'intervention',
  inWords: 'expected on a test set drawn towards evenly spread users and items; needs no γ',
  isDefault: true,
  cost: 10,
  needs: {},
  weights: {
    user: (n, _, smoothing) => interventionWeight(n, smoothing, 1),
    item: (n, _, smoothing, exponent) => interventionWeight(n, smoothing, exponent),
    hasExponent: true,
  },
};
