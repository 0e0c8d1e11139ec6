import { UNCAUSED } from '../../state/panes/row-causes.js';
import {
  LIST_LENGTH_MASK,
  LIST_SAMPLED_FULL,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';

/** What a row says of an arm: nothing, or whether its item stands in the arm's list while … */
export const ASIDE = 0;
/** … another model's list was the one served, */
export const HIDDEN_MISS = 1;
export const HIDDEN_HIT = 2;
/** … or the arm's own. */
export const SHOWN_MISS = 3;
export const SHOWN_HIT = 4;
/** So many kinds of rows. */
export const KINDS = 5;

/**
 * The longest list of each model that was served to a user with a positive row; 0 for a model that
 * was served to none. O(rows). Yields after each part.
 */
export function* servedDepths(
  parts: readonly WindowPart[],
  models: number,
): Generator<void, Int32Array> {
  const depths = new Int32Array(models);
  for (const { rows, positive, causes, lists } of parts) {
    if (causes !== undefined) {
      for (let r = 0; r < rows; r++) {
        const m = causes.served[r] - 1;
        if (positive[r] === 0 || m < 0 || m >= models) continue;
        depths[m] = Math.max(depths[m], lists[m][r] & LIST_LENGTH_MASK);
      }
    }
    yield;
  }
  return depths;
}

/**
 * What each row of a part says of an arm. Rows that name a list say nothing: what caused them is
 * known.
 *
 * @param depth as deep as the arm's list is looked at. @param into a place for each row.
 */
export function kindsOfRows(part: WindowPart, arm: number, depth: number, into: Uint8Array): void {
  const { rows, positive, causes } = part;
  into.fill(ASIDE, 0, rows);
  if (causes === undefined) return;
  const { served, cause } = causes;
  const [ranks, lists] = [part.ranks[arm], part.lists[arm]];
  for (let r = 0; r < rows; r++) {
    if (positive[r] === 0 || served[r] === 0 || cause[r] !== UNCAUSED) continue;
    if (ranks[r] === UNRANKED || (lists[r] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
    const miss = served[r] === arm + 1 ? SHOWN_MISS : HIDDEN_MISS;
    into[r] = ranks[r] < depth ? miss + 1 : miss;
  }
}
