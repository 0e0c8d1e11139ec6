import type { FeedbackMode } from '../../estimators/feedback/feedback-mode.js';
import { GAMMA_FITS } from '../../estimators/propensity/gamma.js';
import {
  CAUSED_POPULARITY,
  type CausedPopularity,
  RANDOMIZED_POPULARITY,
} from '../../state/counts/popularity-rule.js';
import type { Complete, Report } from '../key.js';
import { duration, key, ofCommands, oneOf, real, type WindowConfig, whole } from '../kinds.js';
import { Type } from '../schema.js';
import { formatDuration } from '../units.js';
import { longestWindowMs } from './time.js';

/** What makes an item popular. */
export const POPULARITY = ofCommands(['serve', 'replay', 'evaluate'], {
  horizon: duration({
    description: 'Trailing period that popularity is counted over. At least the longest window.',
    commands: ['serve', 'replay'],
    state: {
      effect: 'converted',
      how: 'A shorter one is cut; a longer one fills up as time goes on.',
    },
    least: '1ms',
    derived: '10 × the longest window',
  }),
  of: oneOf(['positive', 'all'], {
    description: 'Interactions that make an item popular.',
    state: {
      effect: 'refused',
      how: 'What was counted cannot be told apart afterwards.',
    },
    flag: '--popularity',
    default: 'positive',
  }),
  randomized: oneOf(RANDOMIZED_POPULARITY, {
    description:
      'Whether interactions from randomised traffic make an item popular. Counted among the others they spoil any comparison of the two.',
    state: {
      effect: 'refused',
      how: 'What was counted cannot be told apart afterwards.',
    },
    flag: '--popularity-randomized',
    default: 'ignore',
  }),
  caused: oneOf(CAUSED_POPULARITY, {
    description:
      'Whether interactions that name a shown list make an item popular. What lists led to does not measure what users find by themselves.',
    state: {
      effect: 'refused',
      how: 'What was counted cannot be told apart afterwards.',
    },
    flag: '--popularity-caused',
    derived: 'ignore; count with `estimates.feedback: ignore`',
  }),
  userCap: whole({
    description:
      'Interactions of one user that make items popular, at most, in each stretch of event time as long as the longest window (such as each day of UTC; in an evaluation each of its parts). 0 sets no limit. Those beyond it have rows like others, and are counted as `over_user_cap`. Where it is set, users who have far more interactions than all others (`heavyUsers`) are left out of the estimates.',
    state: {
      effect: 'kept',
      how: 'What was counted stays until it leaves the horizon; from or to 0 is refused.',
    },
    flag: '--user-cap',
    unit: 'interactions',
    from: 0,
    to: 1e9,
    default: 200,
  }),
});

export const POSITIVE = {
  minValue: real({
    description: 'Least value of a positive interaction.',
    commands: ['serve', 'replay', 'evaluate', 'export', 'train', 'sql'],
    state: {
      effect: 'refused',
      how: 'Values are not kept, so positives stay what they were.',
    },
    flag: '--positive',
    unit: 'value of an interaction',
    default: 1,
  }),
} as const;

const GAMMA_RANGE = {
  minimum: -1,
  maximum: 10,
};

/** The exponent of presentation bias: given, or fitted to the exposures. */
export const GAMMA = ofCommands(['serve', 'replay', 'evaluate'], {
  gamma: key(
    {
      description:
        'Exponent of presentation bias. `fit` takes the one that the exposures show; `auto` the one that randomised traffic calls for, else the one that the exposures show, else `gammaDefault`.',
      flag: '--gamma',
      default: 'auto',
    },
    {
      schema: Type.Union([Type.Number(GAMMA_RANGE), Type.Literal('fit'), Type.Literal('auto')]),
      expected: "a number from -1 to 10, 'fit' or 'auto'",
      range: 'from -1 to 10, fit or auto',
      argument: '<number|fit|auto>',
      decode: (written) => written as number | 'fit' | 'auto',
    },
  ),
  gammaFit: oneOf(GAMMA_FITS, {
    description:
      'Which fit of the exponent is used. With `gamma: fit`: the paper’s line (`ols`) or the Poisson regression (`poisson`).',
    state: {
      effect: 'kept',
      how: 'The last good fit is used until there is one of the other kind.',
    },
    flag: '--gamma-fit',
    default: 'ols',
  }),
  gammaDefault: real({
    unit: null,
    description:
      'Exponent that `gamma: fit` uses until a fit is `ok`, and `gamma: auto` if nothing determines it.',
    from: -1,
    to: 10,
    derived: '2; 0.5 with `gamma: auto`',
  }),
  gammaPeriod: duration({
    description: 'Exposures of this trailing period are fitted to the popularity before it.',
    commands: ['serve', 'replay'],
    state: {
      effect: 'converted',
      how: 'A shorter one is cut; a longer one is taken from the popularity horizon.',
    },
    least: '1ms',
    derived: 'the longest window',
  }),
});

/** `gammaDefault` if it is not given. */
export function gammaDefaultOf(gamma: number | 'fit' | 'auto'): number {
  return gamma === 'auto' ? 0.5 : 2;
}

/** `popularity.caused` if it is not given: what is asked of causes is asked of popularity too. */
export function causedPopularityOf(feedback: FeedbackMode): CausedPopularity {
  return feedback === 'ignore' ? 'count' : 'ignore';
}

export const CATALOGUE = {
  size: whole({
    description: 'Items in the catalogue. Without it: those named within `popularity.horizon`.',
    commands: ['serve', 'replay', 'evaluate'],
    flag: '--catalog-size',
    unit: 'items',
    from: 1,
    to: 1e9,
  }),
} as const;

interface Counting {
  readonly time: { readonly windows: readonly WindowConfig[] };
  readonly popularity: Complete<typeof POPULARITY>;
  readonly gamma: number | 'fit' | 'auto';
  readonly gammaPeriodMs: number;
}

/** Randomised traffic can calibrate only what it is no part of. */
export function checkGamma({ gamma, popularity: { randomized } }: Counting, fault: Report): void {
  if (gamma !== 'auto' || randomized === 'ignore') return;
  fault('gamma', `auto needs popularity.randomized: ignore, found ${randomized}`);
}

export function checkHorizon(
  { time, popularity: { horizonMs }, gammaPeriodMs }: Counting,
  fault: Report,
  warn: Report,
): void {
  const longest = longestWindowMs(time.windows);
  const found = `found ${formatDuration(horizonMs)}`;
  if (horizonMs < longest) {
    const floor = `the longest window (${formatDuration(longest)})`;
    fault('popularity.horizon', `expected at least ${floor}, ${found}`);
  } else if (horizonMs < 10 * longest) {
    const advice = `10 times the longest window (${formatDuration(10 * longest)})`;
    warn('popularity.horizon', `at least ${advice} is recommended, ${found}`);
  }
  if (gammaPeriodMs >= horizonMs) {
    const ceiling = `popularity.horizon (${formatDuration(horizonMs)})`;
    fault('gammaPeriod', `expected less than ${ceiling}, found ${formatDuration(gammaPeriodMs)}`);
  }
}
