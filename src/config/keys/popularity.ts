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

/**
 * Keys of `popularity`: which interactions count towards an item's popularity, and for how long.
 */
export const POPULARITY = ofCommands(['serve', 'replay', 'evaluate'], {
  horizon: duration({
    description:
      'Trailing period over which popularity is counted. At least the longest window; ten times that is recommended.',
    commands: ['serve', 'replay'],
    state: {
      effect: 'converted',
      how: 'A longer period fills up over time.',
    },
    least: '1ms',
    derived: '10 × the longest window',
  }),
  of: oneOf(['positive', 'all'], {
    description: 'Which interactions count towards popularity.',
    state: {
      effect: 'refused',
      how: 'Stored counts and rows cannot be converted.',
    },
    flag: '--popularity',
    default: 'positive',
  }),
  randomized: oneOf(RANDOMIZED_POPULARITY, {
    description:
      'Whether interactions from randomised traffic count towards popularity. `count` cannot be combined with `gamma: auto`.',
    state: {
      effect: 'refused',
      how: 'Stored counts and rows cannot be converted.',
    },
    flag: '--popularity-randomized',
    default: 'ignore',
  }),
  caused: oneOf(CAUSED_POPULARITY, {
    description: 'Whether interactions driven by recommendations count towards popularity.',
    state: {
      effect: 'refused',
      how: 'Stored counts and rows cannot be converted.',
    },
    flag: '--popularity-caused',
    derived: 'ignore; count with `estimates.feedback: ignore`',
  }),
  userCap: whole({
    description:
      'Maximum number of interactions of one user that count towards popularity, per longest window (for 24h: per UTC day); 0: no limit. With a limit, estimates also leave out users with far more interactions than all others (`heavyUsers`).',
    state: {
      effect: 'kept',
      how: 'Old counts stay until they leave the horizon. A change from or to 0 is refused.',
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
    description: 'Smallest `value` of a positive interaction.',
    commands: ['serve', 'replay', 'evaluate', 'export', 'train', 'sql'],
    state: {
      effect: 'refused',
      how: 'Stored counts and rows cannot be converted.',
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

/** Keys for γ, the exponent of presentation bias, and how it is fitted. */
export const GAMMA = ofCommands(['serve', 'replay', 'evaluate'], {
  gamma: key(
    {
      description:
        'Exponent γ of presentation bias. `fit`: fitted to exposures; `auto`: calibrated on randomised traffic if there is any, else fitted, else `gammaDefault`.',
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
      'How γ is fitted: least squares on the log-log plot, as in the paper (`ols`), or Poisson regression (`poisson`).',
    state: {
      effect: 'kept',
      how: 'The last good fit is used until there is a new one.',
    },
    flag: '--gamma-fit',
    default: 'ols',
  }),
  gammaDefault: real({
    unit: null,
    description: 'γ that is used while the data do not determine it.',
    from: -1,
    to: 10,
    derived: '2; 0.5 with `gamma: auto`',
  }),
  gammaPeriod: duration({
    description: 'Trailing period whose exposures γ is fitted to.',
    commands: ['serve', 'replay'],
    state: {
      effect: 'converted',
      how: 'A longer period fills up over time.',
    },
    least: '1ms',
    derived: 'the longest window',
  }),
});

/** Value of `gammaDefault` if the configuration does not set it. */
export function gammaDefaultOf(gamma: number | 'fit' | 'auto'): number {
  return gamma === 'auto' ? 0.5 : 2;
}

/**
 * Value of `popularity.caused` if it is not set: interactions driven by recommendations count if
 * `estimates.feedback` is `ignore`, and are left out otherwise.
 */
export function causedPopularityOf(feedback: FeedbackMode): CausedPopularity {
  return feedback === 'ignore' ? 'count' : 'ignore';
}

export const CATALOGUE = {
  size: whole({
    description:
      'Number of items in the catalogue. Not given: the items that occur within `popularity.horizon`.',
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

/**
 * Check that `gamma: auto` comes with `popularity.randomized: ignore`: randomised traffic can
 * calibrate γ only if it is not in the popularity counts.
 */
export function checkGamma({ gamma, popularity: { randomized } }: Counting, fault: Report): void {
  if (gamma !== 'auto' || randomized === 'ignore') return;
  fault('gamma', `auto is possible only with popularity.randomized: ignore, found ${randomized}`);
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
