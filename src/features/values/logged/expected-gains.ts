import { NOT_IN_LIST } from '../../../state/panes/window-part.js';
import type { WindowRequests } from '../../../state/requests/pane-requests.js';
import { halfOf } from '../rewards-by-halves.js';
import type { ListPrediction } from '../rewards-of-lists.js';
import type { PropensityOf, TargetedLists } from './logged-lists.js';

/** The target, the model whose lists are evaluated, with the inputs of its probabilities. */
export interface Target {
  /** Column of the model. */
  readonly column: number;
  /** Kind of the logged propensities. */
  readonly propensityOf: PropensityOf;
  /** θ by rank; for `item` propensities only. */
  readonly theta: ArrayLike<number>;
  /** Predicted rewards of items; without them there is no doubly robust form. */
  readonly predicted?: ListPrediction | undefined;
  /** λ of `dros`. */
  readonly shrinkage?: number | undefined;
}

/** Logged lists of one target, with predicted rewards q̂. */
export interface ExpectedLists extends TargetedLists {
  /** q̂ of the shown item, by position. */
  readonly predicted: Float64Array;
  /** Expected q̂ of the target's item at the position, given the items shown above. */
  readonly expected: Float64Array;
  /** The same without regard to the items above. */
  readonly expectedAlone: Float64Array;
}

/** The shown rows of a request. */
export interface ShownRows {
  readonly pane: WindowRequests;
  readonly q: number;
  /** Its first row in the pane. */
  readonly first: number;
  /** The row after its last one. */
  readonly end: number;
  /** Index of its first row in the columns of lists. */
  readonly at: number;
  /** Rank in the served list of the page's first position. */
  readonly top: number;
}

/** Index after the last shown item of a request; items of other lists may follow. */
export function shownEnd({ firstItem, logged }: WindowRequests, q: number): number {
  let end = firstItem[q];
  while (end < firstItem[q + 1] && logged!.propensity[end] > 0) {
    end++;
  }
  return end;
}

/**
 * Compute q̂, the predicted reward, of the shown items and of the items that the target would have
 * shown; 0 if the items of its list are unknown or no prediction exists.
 *
 * For a randomised target, its own list stands for all possible lists. Given the items above, the
 * target's item is the first of that list that is not among them.
 */
export function expectGains(
  target: Target,
  shown: ShownRows,
  into: Pick<ExpectedLists, 'predicted' | 'expected' | 'expectedAlone'>,
): void {
  const { pane, q, first, end, at, top } = shown;
  const { column, propensityOf, predicted } = target;
  if (predicted === undefined || !isWhole(pane, q)) return;
  const rows = predicted.rows.get(pane)!;
  const looks = predicted.looks[halfOf(pane, q)];
  const gain = (row: number, rank: number) => (looks[rank] ?? 0) * rows[row];
  for (let row = first; row < end; row++) {
    into.predicted[at + row - first] = gain(row, top + row - first);
  }
  if (propensityOf === 'item') {
    for (const [, own] of gainsByRank(target, shown)) {
      into.expected[at] += own;
    }
    return;
  }
  const listed = rowsByRank(pane, q, column);
  const { drawn } = pane;
  const isDrawn = drawn?.model[q] === column && drawn.candidates[q] > 0;
  const below = isDrawn && propensityOf === 'conditional' ? [...listed.values()] : undefined;
  for (let k = 0; k < end - first; k++) {
    const alone = listed.get(top + k);
    if (alone === undefined) continue;
    into.expectedAlone[at + k] = gain(alone, top + k);
    const given = below === undefined ? alone : (below.find((row) => row >= first + k) ?? alone);
    into.expected[at + k] = gain(given, top + k);
  }
}

/** q̂ of the target's items by rank; empty if its list is unknown. */
export function gainsByRank(
  { column, predicted }: Target,
  { pane, q }: ShownRows,
): [rank: number, gain: number][] {
  if (predicted === undefined || !isWhole(pane, q)) return [];
  const rows = predicted.rows.get(pane)!;
  const looks = predicted.looks[halfOf(pane, q)];
  return [...rowsByRank(pane, q, column)].map(([rank, row]) => [
    rank,
    (looks[rank] ?? 0) * rows[row],
  ]);
}

/** Whether the request has the items of all lists, and not only the shown ones. */
function isWhole({ depth, logged }: WindowRequests, q: number): boolean {
  return depth[q] >= logged!.wholeLevel;
}

/** Rows of a model's list by rank. */
function rowsByRank(
  { firstItem, items }: WindowRequests,
  q: number,
  column: number,
): Map<number, number> {
  const found: [number, number][] = [];
  const ranks = items.ranks[column];
  for (let row = firstItem[q]; ranks !== undefined && row < firstItem[q + 1]; row++) {
    if (ranks[row] !== NOT_IN_LIST) {
      found.push([ranks[row], row]);
    }
  }
  return new Map(found.sort(([a], [b]) => a - b));
}
