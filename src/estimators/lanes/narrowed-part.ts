import { takenCauses } from '../../state/panes/row-causes.js';
import { takenSegments } from '../../state/panes/row-segments.js';
import { taken } from '../../state/panes/taken-rows.js';
import type { WindowPart } from '../../state/panes/window-part.js';

/**
 * A part with some of its rows alone, and the same segments. O(rows kept · models). Yields between
 * columns.
 *
 * @param kept rows, ascending. @param userStart of the segments' rows among those that are kept.
 */
export function* narrowedPart(
  part: WindowPart,
  kept: Int32Array,
  userStart: Int32Array,
): Generator<void, WindowPart> {
  const { propensity, causes, segments } = part;
  const narrowed = {
    rows: kept.length,
    userStart,
    item: taken(part.item, kept),
    positive: taken(part.positive, kept),
    traffic: taken(part.traffic, kept),
    ...(propensity && { propensity: taken(propensity, kept) }),
    ...(causes && { causes: takenCauses(causes, kept) }),
    ...(segments && { segments: takenSegments(segments, kept) }),
    ranks: [] as Uint16Array[],
    lists: [] as Uint16Array[],
  };
  for (let m = 0; m < part.ranks.length; m++) {
    yield;
    narrowed.ranks.push(taken(part.ranks[m], kept));
    narrowed.lists.push(taken(part.lists[m], kept));
  }
  return { ...part, ...narrowed };
}
