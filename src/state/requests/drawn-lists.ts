import { HAS_PROPENSITIES, RANDOMIZED } from '../../events/columns.js';
import type { PendingExposures } from '../panes/pending-exposures.js';
import type { OpenRequest } from './open-request.js';
import { type DrawnLists, UNUSABLE } from './pane-requests.js';
import { seenOf, visiblePlaces } from './request-items.js';

/**
 * How many items a list of an exposure was drawn from: its candidates, or 1 / p if all of its items
 * have the same chance p of standing where they do. 0 if it does not say, NaN if it was not drawn.
 */
export function drawnFrom(from: PendingExposures, r: number): number {
  const flags = from.flags[r];
  if ((flags & RANDOMIZED) === 0) return Number.NaN;
  if (from.candidates[r] > 0) return from.candidates[r];
  if ((flags & HAS_PROPENSITIES) === 0 || from.requests.propensityOf[r] !== 0) return 0;
  const [start, end] = [from.listStart[r], from.listStart[r + 1]];
  const chances = from.propensities.subarray(start, end);
  const candidates = Math.round(1 / chances[0]);
  const isUniform = chances.every((each) => each === chances[0]);
  return isUniform && candidates >= chances.length ? candidates : 0;
}

/**
 * The drawn lists of requests under construction. Two in a request are as other lists are: of which
 * their items were drawn is not asked.
 */
export class DrawnListsBuilder {
  readonly #length: number;
  #drawn: DrawnLists | undefined;

  /** @param length how many requests there are. */
  constructor(length: number) {
    this.#length = length;
  }

  /**
   * @param q place of the request, which was served. @param isLogged whether a stochastic logger was:
   * then it is a challenger whose lists are drawn, else an arm.
   */
  add(q: number, request: OpenRequest, isLogged: boolean): void {
    const drawn = request.lists.filter(({ model, share, candidates }) => {
      return candidates >= 0 && (isLogged ? model !== request.served!.model : share > 0);
    });
    if (drawn.length !== 1) return;
    const [{ model, candidates, firstRank }] = drawn;
    this.#drawn ??= noneDrawn(this.#length);
    const places = visiblePlaces(request);
    this.#drawn.model[q] = model;
    this.#drawn.candidates[q] = candidates;
    this.#drawn.start[q] = Math.min(firstRank, places);
    this.#drawn.end[q] = this.#drawn.start[q] + seenOf(drawn[0], places);
  }

  /** @returns undefined where nothing was drawn. */
  build(): DrawnLists | undefined {
    return this.#drawn;
  }
}

function noneDrawn(length: number): DrawnLists {
  return {
    model: new Uint16Array(length).fill(UNUSABLE),
    candidates: new Int32Array(length),
    start: new Uint8Array(length),
    end: new Uint8Array(length),
  };
}
