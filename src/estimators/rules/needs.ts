import type { EstimateOptions } from '../options.js';
import { ESTIMATORS, type EstimatorName, estimatorOf } from './registry.js';

/** Whether a configured estimator or guarantee needs absolute propensities. */
export function needsScale({
  estimators,
  guarantees,
}: Pick<EstimateOptions, 'estimators' | 'guarantees'>): boolean {
  if (estimators.some((name) => estimatorOf(name).needs.scale !== undefined)) return true;
  return ESTIMATORS.some((name) => {
    const { scaleFor } = estimatorOf(name).needs;
    return scaleFor !== undefined && guarantees.includes(scaleFor);
  });
}

/** Whether an estimator weighs rows by n^−β, so that its results depend on γ. */
export function restsOnGamma(name: EstimatorName): boolean {
  return estimatorOf(name).needs.itemWeights === true;
}
