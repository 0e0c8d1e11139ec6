import { targetedWeight } from '../interventions/intervention-weights.js';
import type { Intervention } from './estimator.js';

/**
 * WTD: draws a test set in which users and items have about the shares that they have in randomised
 * traffic.
 *
 * w = (m_u + κ) / (n_u + κ) · ((m_i + κ) / (n_i + κ))^p, n all interactions of the user or item in
 * the popularity horizon, m those from randomised traffic, κ the smoothing, p the
 * `posteriorExponent`. Source: Carraro & Bridge 2020, sections 4.2 and 4.3. Bias: see `intervened`;
 * no assumption about the target distribution is needed.
 */
export const wtd: Intervention = {
  kind: 'intervention',
  inWords: 'expected on a test set sampled to match the users and items of randomised traffic',
  cost: 10,
  needs: {
    randomized: {
      of: 'interactions',
      reason: 'needs randomised traffic for its targets, and the popularity horizon holds none',
    },
  },
  weights: {
    user: (n, m, smoothing) => targetedWeight(m, n, smoothing, 1),
    item: (n, m, smoothing, exponent) => targetedWeight(m, n, smoothing, exponent),
    isTargeted: true,
    hasExponent: true,
  },
};
