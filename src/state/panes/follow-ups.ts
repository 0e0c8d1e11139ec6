import { UNCAUSED } from './row-causes.js';

/** A user who comes back to an item later than this has come back to it without the list. */
export const FOLLOW_UP_MS = 30 * 60_000;

/**
 * What follows an interaction that a shown list caused: the purchase after a click seldom names the
 * list, and was not found without it. Less than half an hour after an interaction with the same
 * item that names a list, or that follows one, an interaction has the same cause.
 *
 * Knows one pane; across panes `GroupedRows` does the same by the panes' distance.
 */
export class FollowUps {
  readonly #items = new Map<number, { ts: number; cause: number }>();

  /** An interaction names a list. */
  note(user: number, item: number, ts: number, cause: number): void {
    this.#items.set(keyOf(user, item), { ts, cause });
  }

  /** @returns the cause of one that names none; `UNCAUSED` if it follows nothing */
  causeOf(user: number, item: number, ts: number): number {
    if (this.#items.size === 0) return UNCAUSED;
    const known = this.#items.get(keyOf(user, item));
    if (known === undefined || ts - known.ts > FOLLOW_UP_MS) return UNCAUSED;
    known.ts = ts;
    return known.cause;
  }
}

/** Both are dense numbers below 2^26. */
function keyOf(user: number, item: number): number {
  return user * 0x4000000 + item;
}
