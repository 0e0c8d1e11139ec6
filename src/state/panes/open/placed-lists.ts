import type { ModelPlaces } from '../../models/model-places.js';
import { NONE_UNPLACED, type Unplaced } from '../../models/unplaced.js';
import type { OpenPane } from './open-pane.js';

/** What became of a closing pane's lists. */
interface PlacedLists {
  readonly unplaced: Unplaced;
  /** Models that made way for others. */
  readonly gone: readonly number[];
}

/**
 * Settles which of a closing pane's models have a place, and gives their lists the models' own
 * numbers; those of the others go. To be done once.
 */
export function placeLists(
  pane: number,
  open: OpenPane | undefined,
  places: ModelPlaces | undefined,
): PlacedLists {
  if (open === undefined || places === undefined) return { unplaced: NONE_UNPLACED, gone: [] };
  const { exposures } = open.pending;
  const named = exposures.byModel();
  for (const [name, { onTime }] of open.letGo?.lists ?? []) {
    if (onTime > 0) named.set(name, (named.get(name) ?? 0) + onTime);
  }
  const { numbers, unplaced, gone } = places.settle(pane, named);
  // A late list gives nobody a place, and counts for a model that has one.
  const numberOf = (name: number) => numbers.get(name) ?? places.find(name);
  const late = exposures.place(numberOf) + (open.letGo?.place(numberOf) ?? 0);
  return { unplaced: { ...unplaced, lists: unplaced.lists + late }, gone };
}
