import { NAMES_EXPOSURE, RANDOMIZED } from '../../../events/columns.js';
import type { PendingEvents } from './pending-events.js';

/**
 * Marks interactions as randomised that name a list drawn at random which waits elsewhere, so that
 * they would be taken for organic: the lists of what is known wait with what is evaluated.
 */
export function markNamedRandomized(
  { interactions }: PendingEvents,
  { exposures }: PendingEvents,
): void {
  const atRandom = new Set<string>();
  for (let r = 0; r < exposures.length; r++) {
    if ((exposures.flags[r] & RANDOMIZED) === 0) continue;
    atRandom.add(`${exposures.user[r]} ${exposures.idHigh[r]} ${exposures.idLow[r]}`);
  }
  if (atRandom.size === 0) return;
  const { user, exposureHigh, exposureLow, flags } = interactions;
  for (let r = 0; r < interactions.length; r++) {
    if ((flags[r] & NAMES_EXPOSURE) === 0) continue;
    if (atRandom.has(`${user[r]} ${exposureHigh[r]} ${exposureLow[r]}`)) flags[r] |= RANDOMIZED;
  }
}
