import { NOT_IN_LIST, UNRANKED, type WindowPart } from '../../state/panes/window-part.js';

/** Where a model ranked an item for the users who took it. */
export interface Placement {
  readonly model: string;
  /** Positive rows of the item whose user had a list of the model. */
  readonly rows: number;
  /** Those of them whose list held the item. */
  readonly listed: number;
  /** Rank in those lists, from 1: the best one and the middle one; null where none held it. */
  readonly bestRank: number | null;
  readonly medianRank: number | null;
}

const SLICE_ROWS = 65_536;

/**
 * Where each model ranked an item, over the positive rows of a window. O(rows), in slices.
 *
 * @param item dense number. @param models names, in the order of the parts' `ranks`.
 */
export function* placementsOf(
  parts: readonly WindowPart[],
  models: readonly string[],
  item: number,
): Generator<void, Placement[]> {
  const ranks: number[][] = models.map(() => []);
  const rows = models.map(() => 0);
  for (const part of parts) {
    for (let r = 0; r < part.rows; r++) {
      if (r % SLICE_ROWS === SLICE_ROWS - 1) yield;
      if (part.item[r] !== item || part.positive[r] === 0) continue;
      for (let m = 0; m < models.length; m++) {
        const rank = part.ranks[m][r];
        if (rank === UNRANKED) continue;
        rows[m]++;
        if (rank !== NOT_IN_LIST) ranks[m].push(rank + 1);
      }
    }
    yield;
  }
  return models.map((model, m) => {
    const own = ranks[m].sort((a, b) => a - b);
    const [bestRank = null] = own;
    const medianRank = own[Math.floor((own.length - 1) / 2)] ?? null;
    return { model, rows: rows[m], listed: own.length, bestRank, medianRank };
  });
}
