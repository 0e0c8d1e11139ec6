import type { PairedDifference } from './paired-difference.js';

/** So many errors apart a day is not like the time before it. */
const APART = 3.4;
/** A day that is nearly all of the time cannot differ from it. */
const ERROR_RATIO = 1.1;

/**
 * Whether the last day contradicts what holds since the start.
 *
 * D₂₄ of the other sign, or |D − D₂₄| / √(se₂₄² − se²) > 3.4; the latter only if se₂₄ > 1.1 se, since
 * the day is a part of the whole and their difference has the variance se₂₄² − se².
 * Source: Hausman 1978 (variance of the difference to an efficient estimate).
 *
 * @example
 * isVetoed({ value: 0.1, stdErr: 0.01 }, { value: -0.02, stdErr: 0.03 }); // true
 */
export function isVetoed(
  since: Pick<PairedDifference, 'value' | 'stdErr'>,
  lastDay: Pick<PairedDifference, 'value' | 'stdErr'>,
): boolean {
  if (since.value * lastDay.value < 0) return true;
  if (!(lastDay.stdErr > ERROR_RATIO * since.stdErr)) return false;
  const error = Math.sqrt(lastDay.stdErr ** 2 - since.stdErr ** 2);
  return Math.abs(since.value - lastDay.value) > APART * error;
}
