import { NOT_IN_LIST } from '../../../state/panes/window-part.js';
import type { WindowRequests } from '../../../state/requests/pane-requests.js';
import { halfOf } from '../rewards-by-halves.js';
import type { ListPrediction } from '../rewards-of-lists.js';
import type { PropensityOf, TargetedLists } from './logged-lists.js';

/**
 * The model whose lists are evaluated (the target), and what its probabilities and predictions are
 * computed from.
 */
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

/**
 * Lists drawn by a logger, with the target's probabilities and the predicted rewards q̂ of shown
 * items and of the target's items.
 */
export interface ExpectedLists extends TargetedLists {
  /** By position: q̂ of the shown item. */
  readonly predicted: Float64Array;
  /**
   * By position: q̂ of the item that the target would show there, given the items shown above. For
   * `item` propensities: the sum over the target's list, at the first position.
   */
  readonly expected: Float64Array;
  /**
   * By position: q̂ of the target's item there, whatever items are shown above. 0 for `item`
   * propensities.
   */
  readonly expectedAlone: Float64Array;
}

/** The item rows that a request showed. */
export interface ShownRows {
  readonly pane: WindowRequests;
  readonly q: number;
  /** Row in the pane of the first shown item. */
  readonly first: number;
  /** Row in the pane after that of the last shown item. */
  readonly end: number;
  /** Index of the first shown item in the columns of `ExpectedLists`. */
  readonly at: number;
  /** Rank of the first shown item in the served list; above 0 on a later page. */
  readonly top: number;
}

/**
 * Row in the pane after the last shown item of a request; rows of items that only other lists
 * contain may follow.
 */
export function shownEnd({ firstItem, logged }: WindowRequests, q: number): number {
  let end = firstItem[q];
  while (end < firstItem[q + 1] && logged!.propensity[end] > 0) {
    end++;
  }
  return end;
}

/**
 * Compute q̂, the predicted reward, of the shown items and of the items that the target would have
 * shown. q̂ is 0 if the request lacks the items of the target's list or if there is no prediction.
 *
 * For a randomised target, the logged list stands for all possible lists. For `conditional`
 * propensities its item at a position is the first item of this list that is not shown above.
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

/**
 * q̂ of each item of the target's list, with its rank. Empty if the request lacks the items of the
 * list.
 */
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

/** Whether the request has the items of all lists, including items that were not shown. */
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
