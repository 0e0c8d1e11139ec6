import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { runOf, runsOf } from '../../state/requests/request-kinds.js';

/** Arms with randomised lists. */
export interface DrawnArms {
  /**
   * Arms whose lists are all randomised from a known number of candidates, as indices in `columns`
   * of `drawnArms`.
   */
  readonly drawn: ReadonlySet<number>;
  /**
   * The other arms with randomised lists, as indices like in `drawn`. The value is the share of
   * requests that can serve the arm but have no randomised list of it from a known number of
   * candidates.
   */
  readonly drawnFromUnknown: ReadonlyMap<number, number>;
}

/** Counts of randomised lists by model. */
export interface DrawnCounts {
  /** 1 if any list of the model is randomised. */
  readonly isDrawn: Uint8Array;
  /** Number of requests that can serve the model. */
  readonly listed: Float64Array;
  /**
   * Number of requests that can serve the model and have a randomised list of it from a known
   * number of candidates.
   */
  readonly known: Float64Array;
}

/**
 * Find the arms with randomised lists. If some lists of an arm lack the number of candidates, all
 * its lists are treated like those of an arm that is not randomised, which is valid but less
 * informative.
 *
 * @param columns of the models with lists.
 */
export function drawnArms(
  { isDrawn, listed, known }: DrawnCounts,
  columns: readonly number[],
): DrawnArms {
  const drawn = new Set<number>();
  const drawnFromUnknown = new Map<number, number>();
  for (const [place, column] of columns.entries()) {
    if (isDrawn[column] === 0 || listed[column] === 0) continue;
    const share = 1 - known[column] / listed[column];
    if (share === 0) {
      drawn.add(place);
    } else {
      drawnFromUnknown.set(place, share);
    }
  }
  return { drawn, drawnFromUnknown };
}

/**
 * Add the selected requests of a pane to the counts.
 * @param count by kind of request: number of selected requests.
 */
export function countDrawn(
  { kinds, kind, drawn }: WindowRequests,
  kept: Int32Array,
  count: Float64Array,
  { isDrawn, listed, known }: DrawnCounts,
): void {
  for (const { run, end } of runsOf(kinds)) {
    const found = count.subarray(run.firstKind, end).reduce((sum, each) => sum + each, 0);
    for (const [n, model] of run.models.entries()) {
      if (run.places[n] >= 0) {
        listed[model] += found;
      }
    }
  }
  if (drawn === undefined) return;
  for (const model of drawn.model) {
    if (model < isDrawn.length) {
      isDrawn[model] = 1;
    }
  }
  for (const q of kept) {
    const model = drawn.model[q];
    if (drawn.candidates[q] === 0) continue;
    const { models, places } = runOf(kinds, kind[q]);
    if (models.some((each, n) => each === model && places[n] >= 0)) {
      known[model]++;
    }
  }
}
