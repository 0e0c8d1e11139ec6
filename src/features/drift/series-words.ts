import { decimal, signedPercent } from '../../rows/figures.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import type { LevelShift } from './level-shift.js';

/**
 * Text that names a monitored series and the direction of its change. Model names may contain
 * slashes.
 */
export function seriesWords(series: string, level?: LevelShift): Sentence {
  const [kind, ...rest] = series.split('/');
  const after = (parts: number) => ({ name: rest.slice(parts).join('/') });
  const [estimator = '', label = ''] = rest;
  const metric = { name: label };
  const shown = rest[0] === 'exposures' ? say`the exposures of ${after(1)}` : say`interactions`;
  const went = directionOf(level);
  switch (kind) {
    case 'lists':
      return say`${after(0)} has sent no lists`;
    case 'estimate':
      return say`${metric} of ${after(2)} by ${estimator} has ${went}`;
    case 'gap':
      return say`the gap between naive and ${estimator} in ${metric} of ${after(2)} has ${went}`;
    case 'uncaused':
      return say`${metric} of ${after(2)} by ${estimator}, on organic interactions, has ${went}`;
    case 'on_policy':
      return say`the reward per served list of ${after(0)} has ${went}`;
    case 'value':
      return say`the reward per request of ${after(1)} by ${estimator} has ${went}`;
    case 'gini':
      return say`the Gini of ${shown} has ${went}`;
    case 'popularity':
      return say`the share of popular items in ${shown} has ${went}`;
    default:
      return say`${{ name: series }} has ${went}`;
  }
}

function directionOf(level: LevelShift | undefined): string {
  if (level === undefined || level.now === level.before) return 'changed';
  return level.now < level.before ? 'fallen' : 'risen';
}

/** Least number of decimals; more are shown if the two values need them to differ. */
const DIGITS = 3;
/** Maximum number of decimals. */
const MOST_DIGITS = 6;

/**
 * Text for the level before and after a change, with the relative change if it is meaningful; empty
 * if unknown.
 */
export function shiftWords(level: LevelShift | undefined): string {
  if (level === undefined) return '';
  const { before, now } = level;
  const apart = Math.ceil(-Math.log10(Math.abs(now - before))) + 1;
  const digits = Math.min(MOST_DIGITS, Math.max(DIGITS, Number.isFinite(apart) ? apart : 0));
  const share = before > 0 && now >= 0 ? ` (${signedPercent(now / before - 1)})` : '';
  return `, from ${decimal(before, digits)} to ${decimal(now, digits)}${share}`;
}
