import type { EstimatorOracle } from './estimator-oracle.js';
import { naivePooled, naiveUser } from './naive.js';

/** Every row of randomised traffic counts alike. */
export const ure: EstimatorOracle = {
  traffic: 'randomized',
  user: ({ rows }) => naiveUser(rows),
  pooled: ({ rows }) => naivePooled(rows),
};
