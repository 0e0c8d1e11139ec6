import { runOf } from '../../../state/requests/request-kinds.js';
import { inSlices } from '../../slices.js';
import type { UsableRequests } from './request-shares.js';

/** Arms whose lists are drawn at random. */
export interface DrawnArms {
  /** Places of those that are drawn in all requests, from so many candidates as is known. */
  readonly drawn: ReadonlySet<number>;
  /** By place of the others: share of their requests of which it is not known. */
  readonly drawnFromUnknown: ReadonlyMap<number, number>;
}

/**
 * Which arms are drawn at random. Where it is not known of all lists of an arm from how many items,
 * they are taken for what they show, as other lists are: that is right, too, and shows less.
 *
 * @param columns of the models that had a list.
 */
export function* drawnArms(
  requests: UsableRequests,
  columns: readonly number[],
): Generator<void, DrawnArms> {
  const listed = new Map<number, number>();
  const known = new Map<number, number>();
  const isDrawn = new Set<number>();
  for (const { drawn } of requests.panes) {
    for (const model of drawn?.model ?? []) isDrawn.add(model);
    yield;
  }
  for (const [p, { kinds, kind, drawn }] of isDrawn.size === 0 ? [] : requests.panes.entries()) {
    const armsOf = new Map(
      kinds.runs.map((run) => [
        run,
        run.models.filter((model, n) => isDrawn.has(model) && run.places[n] >= 0),
      ]),
    );
    const kept = requests.kept[p];
    yield* inSlices(kept.length, (from, to) => {
      for (const q of kept.subarray(from, to)) {
        for (const model of armsOf.get(runOf(kinds, kind[q]))!) {
          listed.set(model, (listed.get(model) ?? 0) + 1);
          if (drawn?.model[q] !== model || drawn.candidates[q] === 0) continue;
          known.set(model, (known.get(model) ?? 0) + 1);
        }
      }
    });
  }
  const drawn = new Set<number>();
  const drawnFromUnknown = new Map<number, number>();
  for (const [model, count] of listed) {
    const place = columns.indexOf(model);
    const share = 1 - (known.get(model) ?? 0) / count;
    if (share === 0) drawn.add(place);
    else drawnFromUnknown.set(place, share);
  }
  return { drawn, drawnFromUnknown };
}
