import type { Report } from '../../config/key.js';
import { real, someOf, text } from '../../config/kinds.js';
import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import { RATING_ESTIMATORS, type RatingPropensitySource } from './rating-options.js';

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

/** There may be no more different ratings. */
const MOST_RATINGS = 1000;

/** Metrics of ratings, where `estimates.metrics` names some. */
export const RATINGS = {
  lowest: real({
    description: 'The lowest rating.',
    commands: COMMANDS,
    state: {
      effect: 'kept',
      how: 'What came before was judged by the old scale.',
    },
    unit: 'rating',
    from: -1e6,
    to: 1e6,
    default: 1,
  }),
  highest: real({
    description:
      'The highest rating. Interactions whose `value` is no rating are in no metric of ratings, and counted.',
    commands: COMMANDS,
    state: {
      effect: 'kept',
      how: 'What came before was judged by the old scale.',
    },
    unit: 'rating',
    from: -1e6,
    to: 1e6,
    default: 5,
  }),
  step: real({
    description: 'How far two neighbouring ratings lie apart: 0.5 for half stars.',
    commands: COMMANDS,
    state: {
      effect: 'kept',
      how: 'What came before was judged by the old scale.',
    },
    unit: 'rating',
    above: 0,
    to: 1e6,
    default: 1,
  }),
  estimators: someOf(RATING_ESTIMATORS, {
    description:
      'Estimators of metrics of ratings. `ips` needs the number of all pairs: with `serve` and `replay` it is given where `catalogue.size` is set.',
    commands: COMMANDS,
    default: [UNCORRECTED, LEADING],
  }),
  propensities: text({
    description:
      'Where the chance that a pair is rated comes from. `nb`, the default: from the rating, by ratings from randomised traffic (naive Bayes); `logged`: from the `propensities` of the list that led to the rating; else a file of `unskew propensities`, by user and item or by the rating. A service reads it when it starts and again when it changes; one that cannot be read is refused, and the old one stays in use. Popularity gives none: it does nothing for ratings.',
    commands: COMMANDS,
    flag: '--propensities',
    isFlagOfServe: true,
    argument: '<file|nb|logged>',
    expected: 'the path of a file, nb or logged',
  }),
  smoothing: real({
    description: 'Random ratings of each value that `nb` adds to those that are there.',
    commands: COMMANDS,
    unit: 'ratings',
    from: 0,
    to: 1000,
    default: 1,
  }),
  maxWeight: real({
    description:
      'The most that a rated pair may weigh: 1 / P above it is clipped. What that moves ips by is printed (`clippingBias`). Without it: no limit.',
    commands: COMMANDS,
    unit: 'pairs',
    above: 0,
    to: 1e12,
  }),
} as const;

/** What `ratings.propensities` says: where propensities come from, and the file if it is one. */
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
      'expected a metric of ratings in estimates.metrics, such as mae: it weighs nothing else',
    );
  }
  const steps = (highest - lowest) / step;
  if (steps > 0 && steps < MOST_RATINGS && Math.abs(steps - Math.round(steps)) < 1e-6) return;
  fault(
    'ratings.step',
    `expected ratings.highest − ratings.lowest (${highest} − ${lowest}) to be 1 to ${MOST_RATINGS - 1} steps, found ${step}`,
  );
}
