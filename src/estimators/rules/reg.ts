import type { Intervention } from './estimator.js';

/**
 * REG: the test set is a share of the rows, drawn uniformly. It shows the effect of sample size
 * alone.
 *
 * w = 1. Source: Carraro & Bridge 2020, section 5.3. Bias: as naive; the mean over users also
 * leaves out users without a drawn row.
 */
export const reg: Intervention = {
  kind: 'intervention',
  inWords: 'expected on a uniform random test set: the effect of sampling alone',
  cost: 6,
  needs: {},
  weights: {
    user: null,
    item: null,
  },
};
