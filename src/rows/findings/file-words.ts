import type { PropensityStamp } from '../../estimators/propensity/used-propensities.js';

const KINDS = { nb: 'Naive Bayes', lr: 'logistic regression' };

/** A file of propensities in words: which it is, and of when. */
export function fileWords({
  kind,
  version,
  date,
}: Pick<PropensityStamp, 'kind' | 'version' | 'date'>): string {
  return `${KINDS[kind]}, version ${version}, from ratings through ${date}`;
}
