import type { Calibration } from './calibration.js';
import type { GammaInterval } from './gamma-interval.js';

/** Sources of the γ in use. The history stores indices into this list, so add only at its end. */
export const USED_GAMMA_SOURCES = ['fixed', 'fit', 'last_good', 'assumed', 'calibrated'] as const;
export type UsedGammaSource = (typeof USED_GAMMA_SOURCES)[number];

/** Sources of γ if it is estimated from the data, best first. */
export const GAMMA_SOURCES = ['calibrated', 'fit', 'assumed'] as const;

/** A γ with its source; its standard error is 0 if it is only assumed. */
export interface SourcedGamma {
  readonly source: (typeof GAMMA_SOURCES)[number];
  readonly gamma: number;
  readonly stdErr: number;
}

type Exposures = Pick<GammaInterval, 'status' | 'split' | 'poisson' | 'lower' | 'upper'>;

/**
 * Largest standard error of β̂ with which a calibration becomes the source of γ (`toBegin`), and
 * with which it stays the source (`toStay`).
 */
const MOST_BETA_ERROR = {
  toBegin: 0.15,
  toStay: 0.2,
};
/** Largest standard error of γ with which a fit stays in use. */
const MOST_FIT_ERROR_TO_STAY = 2 * MOST_BETA_ERROR.toBegin;
/**
 * A fit stays in use only if the γ of the split fit and of the Poisson fit differ by at most this,
 * relative to max(1, |γ|).
 */
const FARTHEST_TO_STAY = 0.15;
const LEAST_BETA = 0;
const MOST_BETA = 1.5;
const Z = 1.96;

/**
 * Choose γ by the strongest evidence in the data.
 *
 * calibrated: γ = 2β̂ − 1, β̂ within [0, 1.5], if randomised traffic determines β̂ with a standard
 * error of at most 0.15. The standard error of γ is the width of the 95 % interval of β̂ divided by
 * 1.96, which equals 2 se(β̂) unless the interval rests on few items.
 * fit: otherwise, the γ of the split fit to the exposures, if both fits agree. The standard error
 * of γ is its distance from the farther end of the union of both intervals, divided by 1.96.
 * assumed: otherwise, the assumed γ.
 * Source: own. A β̂ above 1.5 would mean that relevance falls with popularity faster than under any
 * policy, and one below 0 that popular items are shown less.
 *
 * The source in use has weaker conditions, so that the choice does not flip back and forth at their
 * edge: a standard error of β̂ up to .2; an error of a fit up to .3, for any effective number of
 * items, with both fits within .15 max(1, |γ|).
 *
 * @param calibration of organic and randomised positives. @param exposures γ fitted to the
 * exposures.
 * @param assumed γ if nothing else is known. @param used the source in use; undefined: none yet.
 * @example
 * const calibration = { status: 'ok', beta: 1, stdErr: 0.1, lower: 0.8, upper: 1.2 };
 * chosenGamma({ calibration }, 0.5).source; // 'calibrated'
 */
export function chosenGamma(
  {
    calibration: { status, beta, stdErr, lower, upper },
    exposures,
  }: {
    readonly calibration: Pick<Calibration, 'status' | 'beta' | 'stdErr' | 'lower' | 'upper'>;
    readonly exposures: Exposures;
  },
  assumed: number,
  used?: SourcedGamma['source'],
): SourcedGamma {
  const most = used === 'calibrated' ? MOST_BETA_ERROR.toStay : MOST_BETA_ERROR.toBegin;
  if (status === 'ok' && stdErr <= most) {
    const within = Math.min(MOST_BETA, Math.max(LEAST_BETA, beta));
    return {
      source: 'calibrated',
      gamma: 2 * within - 1,
      stdErr: (upper - lower) / Z,
    };
  }
  const fit = fittedGamma(exposures);
  if (exposures.status === 'ok' || (used === 'fit' && mayStay(exposures, fit))) return fit;
  return {
    source: 'assumed',
    gamma: assumed,
    stdErr: 0,
  };
}

function fittedGamma({ split: { gamma }, lower, upper }: Exposures): SourcedGamma {
  const half = Math.max(upper - gamma, gamma - lower);
  return {
    source: 'fit',
    gamma,
    stdErr: half / Z,
  };
}

/** Whether a fit in use is still good enough to keep, even if it would not be chosen again. */
function mayStay({ split, poisson }: Exposures, { gamma, stdErr }: SourcedGamma): boolean {
  const isNear =
    Math.abs(split.gamma - poisson.gamma) <= FARTHEST_TO_STAY * Math.max(1, Math.abs(gamma));
  return isNear && stdErr <= MOST_FIT_ERROR_TO_STAY;
}

/** The γ in use, and for how many ticks another source has been better. */
export interface SettledGamma {
  readonly used: SourcedGamma;
  /** The source that has been better; absent while the source in use is the best. */
  readonly asking?: SourcedGamma['source'];
  readonly ticks: number;
}

/** Number of consecutive ticks after which the source changes. */
const TICKS_TO_CHANGE = 3;

/**
 * Follow the chosen γ from tick to tick, but change its source only after three ticks that agree,
 * so that a source at the edge of its conditions does not make every series jump. Until then the
 * last γ of the source in use is kept.
 *
 * @param before undefined at the first tick, which uses the chosen γ.
 * @returns a new plain state, which can be stored.
 * @example
 * settled(undefined, { source: 'fit', gamma: 1, stdErr: 0.1 }).used.source; // 'fit'
 */
export function settled(before: SettledGamma | undefined, chosen: SourcedGamma): SettledGamma {
  if (before === undefined || chosen.source === before.used.source) {
    return {
      used: chosen,
      ticks: 0,
    };
  }
  const ticks = chosen.source === before.asking ? before.ticks + 1 : 1;
  if (ticks >= TICKS_TO_CHANGE) {
    return {
      used: chosen,
      ticks: 0,
    };
  }
  return {
    used: before.used,
    asking: chosen.source,
    ticks,
  };
}
