import type { Report } from '../../config/key.js';
import { oneOf, real, someOf, text } from '../../config/kinds.js';
import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import { isRatingMetric } from '../../gains/rating-metrics.js';
import {
  RATING_ESTIMATORS,
  RATING_PROPENSITIES,
  type RatingPropensitySource,
} from './rating-options.js';

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

/** There may be no more different ratings. */
const MOST_RATINGS = 1000;

/** Metrics of ratings, where `estimates.metrics` names some. */
export const RATINGS = {
  lowest: real({
    description: 'The lowest rating.',
    commands: COMMANDS,
    state: { effect: 'kept', how: 'What came before was judged by the old scale.' },
    unit: 'rating',
    from: -1e6,
    to: 1e6,
    default: 1,
  }),
  highest: real({
    description:
      'The highest rating. Interactions whose `value` is no rating are in no metric of ratings, and counted.',
    commands: COMMANDS,
    state: { effect: 'kept', how: 'What came before was judged by the old scale.' },
    unit: 'rating',
    from: -1e6,
    to: 1e6,
    default: 5,
  }),
  step: real({
    description: 'How far two neighbouring ratings lie apart: 0.5 for half stars.',
    commands: COMMANDS,
    state: { effect: 'kept', how: 'What came before was judged by the old scale.' },
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
  propensity: oneOf(RATING_PROPENSITIES, {
    description:
      'Where the chance that a pair is rated comes from. `nb`: from the rating, by ratings from randomised traffic (naive Bayes); `logged`: from the `propensities` of the list that led to the rating; `file`: from `ratings.propensities`. Popularity gives none: it does nothing for ratings.',
    commands: COMMANDS,
    derived: 'file with `ratings.propensities`, else nb',
  }),
  propensities: text({
    description:
      'A file of `unskew propensities`: the chance that a pair is rated, by user and item or by the rating. A service reads it when it starts and again when it changes; one that cannot be read is refused, and the old one stays in use.',
    commands: COMMANDS,
    flag: '--propensities',
    isFlagOfServe: true,
    argument: '<file>',
    expected: 'the path of a file',
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

function ratingPropensityOf(ratings: {
  readonly propensity?: RatingPropensitySource;
  readonly propensities?: string;
}): RatingPropensitySource {
  return ratings.propensity ?? (ratings.propensities === undefined ? 'nb' : 'file');
}

interface CheckedRatings {
  readonly lowest: number;
  readonly highest: number;
  readonly step: number;
  readonly propensity: RatingPropensitySource;
  readonly propensities?: string;
}

/** Where the chance that a pair is rated comes from if that is not said. */
export function completeRatings<Given extends Parameters<typeof ratingPropensityOf>[0]>({
  ratings,
}: {
  readonly ratings: Given;
}) {
  return { ratings: { ...ratings, propensity: ratingPropensityOf(ratings) } };
}

export function checkRatings(
  {
    ratings: { lowest, highest, step, propensity, propensities },
    estimates: { metrics },
  }: {
    readonly ratings: CheckedRatings;
    readonly estimates: { readonly metrics: readonly string[] };
  },
  fault: Report,
): void {
  if (propensities !== undefined && propensity !== 'file') {
    fault(
      'ratings.propensity',
      `expected file, beside ratings.propensities, which would have no effect; found ${propensity}`,
    );
  } else if (propensities !== undefined && !metrics.some(isRatingMetric)) {
    fault(
      'ratings.propensities',
      'expected a metric of ratings in estimates.metrics, such as mae: it weighs nothing else',
    );
  }
  if (propensities === undefined && propensity === 'file') {
    fault('ratings.propensity', 'expected ratings.propensities to name a file, as it is file');
  }
  const steps = (highest - lowest) / step;
  if (steps > 0 && steps < MOST_RATINGS && Math.abs(steps - Math.round(steps)) < 1e-6) return;
  fault(
    'ratings.step',
    `expected ratings.highest − ratings.lowest (${highest} − ${lowest}) to be 1 to ${MOST_RATINGS - 1} steps, found ${step}`,
  );
}
