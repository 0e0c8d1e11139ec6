import { LEADING, UNCORRECTED } from '../../../estimators/names.js';
import {
  RATING_ESTIMATORS,
  RATING_PROPENSITIES,
} from '../../../estimators/ratings/window/rating-options.js';
import type { Report } from '../../key.js';
import { oneOf, real, someOf } from '../../kinds.js';

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
      'Where the chance that a pair is rated comes from. `nb`: from the rating, by ratings from randomised traffic (naive Bayes); `logged`: from the `propensities` of the list that led to the rating. Popularity gives none: it does nothing for ratings.',
    commands: COMMANDS,
    default: 'nb',
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

export function checkRatings(
  {
    lowest,
    highest,
    step,
  }: { readonly lowest: number; readonly highest: number; readonly step: number },
  fault: Report,
): void {
  const steps = (highest - lowest) / step;
  if (steps > 0 && steps < MOST_RATINGS && Math.abs(steps - Math.round(steps)) < 1e-6) return;
  fault(
    'ratings.step',
    `expected ratings.highest − ratings.lowest (${highest} − ${lowest}) to be 1 to ${MOST_RATINGS - 1} steps, found ${step}`,
  );
}
