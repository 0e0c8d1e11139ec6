import { NAMES_EXPOSURE, RANDOMIZED, SHOWN, SHOWN_BEFORE } from '../../events/columns.js';
import type { PendingEvents } from './pending-events.js';

/**
 * Marks interactions by the lists that they name and that wait elsewhere, since the lists of what
 * is known wait with what is evaluated: those of a list drawn at random as randomised, those of one
 * that was not shown as naming none.
 */
export function markByNamedLists(
  { interactions }: PendingEvents,
  { exposures }: PendingEvents,
): void {
  const named = namedIn(interactions);
  if (named.size === 0) return;
  const unlike = new Map<string, 'random' | 'hidden'>();
  for (let r = 0; r < exposures.length; r++) {
    const flags = exposures.flags[r];
    const isHidden = (flags & (SHOWN | SHOWN_BEFORE)) === 0;
    if (((flags & RANDOMIZED) === 0 && !isHidden) || !named.has(exposures.idLow[r])) continue;
    const name = `${exposures.user[r]} ${exposures.idHigh[r]} ${exposures.idLow[r]}`;
    unlike.set(name, (flags & RANDOMIZED) === 0 ? 'hidden' : 'random');
  }
  if (unlike.size === 0) return;
  const { user, exposureHigh, exposureLow, flags } = interactions;
  for (let r = 0; r < interactions.length; r++) {
    if ((flags[r] & NAMES_EXPOSURE) === 0) continue;
    const list = unlike.get(`${user[r]} ${exposureHigh[r]} ${exposureLow[r]}`);
    if (list === 'random') flags[r] |= RANDOMIZED;
    else if (list === 'hidden') flags[r] &= ~NAMES_EXPOSURE;
  }
}

/** Halves of the ids of the lists that interactions name. */
function namedIn({ flags, exposureLow, length }: PendingEvents['interactions']): Set<number> {
  const named = new Set<number>();
  for (let r = 0; r < length; r++) {
    if ((flags[r] & NAMES_EXPOSURE) !== 0) named.add(exposureLow[r]);
  }
  return named;
}
