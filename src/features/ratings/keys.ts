import type { Report } from '../../config/key.js';
import { real, someOf, text } from '../../config/kinds.js';
import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import { RATING_ESTIMATORS, type RatingPropensitySource } from './rating-options.js';

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

/** Largest number of rating values on a scale. */
const MOST_RATINGS = 1000;

/** Configuration of rating metrics; used if `estimates.metrics` names one. */
export const RATINGS = {
  lowest: real({
    description: 'Lowest rating.',
    commands: COMMANDS,
    state: {
      effect: 'kept',
      how: 'Applies to new events.',
    },
    unit: 'rating',
    from: -1e6,
    to: 1e6,
    default: 1,
  }),
  highest: real({
    description:
      'Highest rating. Interactions whose `value` is not a rating are counted and left out of metrics of ratings.',
    commands: COMMANDS,
    state: {
      effect: 'kept',
      how: 'Applies to new events.',
    },
    unit: 'rating',
    from: -1e6,
    to: 1e6,
    default: 5,
  }),
  step: real({
    description: 'Step between two ratings, such as 0.5 for half stars.',
    commands: COMMANDS,
    state: {
      effect: 'kept',
      how: 'Applies to new events.',
    },
    unit: 'rating',
    above: 0,
    to: 1e6,
    default: 1,
  }),
  estimators: someOf(RATING_ESTIMATORS, {
    description:
      'Estimators for metrics of ratings. In `serve` and `replay`, `ips` needs `catalogue.size`.',
    commands: COMMANDS,
    default: [UNCORRECTED, LEADING],
  }),
  propensities: text({
    description:
      'Propensities of rated pairs: `nb` (default), `logged`, or a file of `unskew propensities`. `nb`: naive Bayes by rating, from ratings of randomised traffic; `logged`: the `propensities` of the list. A service reads the file again whenever it changes.',
    commands: COMMANDS,
    flag: '--propensities',
    isFlagOfServe: true,
    argument: '<file|nb|logged>',
    expected: 'the path of a file, nb or logged',
  }),
  smoothing: real({
    description: 'Count that `nb` adds to each rating value (additive smoothing).',
    commands: COMMANDS,
    unit: 'ratings',
    from: 0,
    to: 1000,
    default: 1,
  }),
  maxWeight: real({
    description:
      'Largest weight 1 / P of a rated pair; larger ones are clipped. The effect on ips is reported as `clippingBias`. Not given: no limit.',
    commands: COMMANDS,
    unit: 'pairs',
    above: 0,
    to: 1e12,
  }),
} as const;

/** Parse `ratings.propensities`: the source of propensities, and the path if it is a file. */
export function ratingSource(propensities: string | undefined): {
  readonly propensity: RatingPropensitySource;
  readonly file?: string;
} {
  if (propensities === undefined || propensities === 'nb') return { propensity: 'nb' };
  if (propensities === 'logged') return { propensity: 'logged' };
  return {
    propensity: 'file',
    file: propensities,
  };
}

interface CheckedRatings {
  readonly lowest: number;
  readonly highest: number;
  readonly step: number;
  readonly propensities?: string;
}

/**
 * Check that the rating scale is a whole number of steps. If a propensities file is configured,
 * check that a rating metric is configured too, since the file affects only rating metrics.
 */
export function checkRatings(
  {
    ratings: { lowest, highest, step, propensities },
    estimates: { metrics },
  }: {
    readonly ratings: CheckedRatings;
    readonly estimates: { readonly metrics: readonly string[] };
  },
  fault: Report,
): void {
  if (ratingSource(propensities).file !== undefined && !metrics.some(isRatingMetric)) {
    fault(
      'ratings.propensities',
      'expected a rating metric in estimates.metrics, such as mae, because this key affects only rating metrics',
    );
  }
  const steps = (highest - lowest) / step;
  if (steps > 0 && steps < MOST_RATINGS && Math.abs(steps - Math.round(steps)) < 1e-6) return;
  fault(
    'ratings.step',
    `expected ratings.highest − ratings.lowest (${highest} − ${lowest}) to be 1 to ${MOST_RATINGS - 1} times ratings.step, found a step of ${step}`,
  );
}
