import { IdLog } from '../../events/ids/id-log.js';

/** The place of an event that was not kept. */
export const NOWHERE = 255;

/**
 * Which events came, and where each was put: so that those that turn out to be repetitions can be
 * found and taken away again once all are there.
 */
export class Arrivals {
  readonly #ids = new IdLog();
  readonly #places: Uint8Array[] = [];

  /** @param places of the first `length` events, below 255 or `NOWHERE`. */
  add(high: Int32Array, low: Int32Array, places: Uint8Array, length: number): void {
    this.#ids.add(high, low, length);
    this.#places.push(places.slice(0, length));
  }

  /** Visits all events in the order in which they came if any id came twice. @returns whether. */
  visitIfRepeated(visit: (place: number, isRepeated: boolean) => void): boolean {
    const repeats = this.#ids.repeats();
    if (repeats === undefined) return false;
    let at = 0;
    for (const places of this.#places)
      for (const place of places) visit(place, repeats[at++] === 1);
    return true;
  }
}
