import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { runOf, runsOf } from '../../state/requests/request-kinds.js';

/** Arms whose lists are drawn at random. */
export interface DrawnArms {
  /** Places of those that are drawn in all requests, from so many candidates as is known. */
  readonly drawn: ReadonlySet<number>;
  /** By place of the others: share of their requests of which it is not known. */
  readonly drawnFromUnknown: ReadonlyMap<number, number>;
}

/** By model: whether any list of it is drawn, requests that may be served it, and those drawn from known. */
export interface DrawnCounts {
  readonly isDrawn: Uint8Array;
  readonly listed: Float64Array;
  readonly known: Float64Array;
}

/**
 * Which arms are drawn at random. Where it is not known of all lists of an arm from how many items,
 * they are taken for what they show, as other lists are: that is right, too, and shows less.
 *
 * @param columns of the models that had a list.
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

/** Adds the requests of a pane. @param count how many of them are of each kind. */
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
