import { ABSOLUTE, UNCORRECTED } from '../../estimators/names.js';
import type { RatingEstimatorName, RatingOptions } from './rating-options.js';
import type { RatingsReport } from './rating-report.js';
import type { RatingWeights } from './rating-weights.js';

export type RatingRefusal = RatingsReport['refusals'][number];

const LACKING = { nb: 'propensity', logged: 'logged propensity', file: 'propensity of the file' };
const NONE = {
  nb: 'needs propensities, which no rated pair has',
  logged: 'needs logged propensities, which no rated pair has',
  file: 'needs propensities of the file, which knows no rated pair',
};

/** Estimators that have no value in a window, and why. */
export function ratingRefusals(
  { estimators, isCatalogueKnown, propensity }: RatingOptions,
  { refused }: RatingWeights,
  { rated, without }: { readonly rated: number; readonly without: number },
): RatingRefusal[] {
  if (rated === 0) return [];
  const none = refused ?? (without === rated ? NONE[propensity] : undefined);
  return estimators.flatMap((estimator): RatingRefusal[] => {
    if (estimator === UNCORRECTED) return [];
    if (none !== undefined) return [{ estimator, reason: none }];
    if (estimator !== ABSOLUTE) return [];
    if (!isCatalogueKnown) {
      return [{ estimator, reason: 'needs the number of all pairs: set catalogue.size' }];
    }
    return without > 0
      ? [{ estimator, reason: `has ${without} rated pairs without a ${LACKING[propensity]}` }]
      : [];
  });
}

export function isGiven(refusals: readonly RatingRefusal[], name: RatingEstimatorName): boolean {
  return !refusals.some(({ estimator, model }) => estimator === name && model === undefined);
}
