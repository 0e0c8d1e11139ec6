/** The broker answers a fetch in a fraction of this; within it nobody recreates a topic. */
const LONG_MS = 2_000;

/**
 * Notices what a log may have changed behind: fetches that failed, of which the client tells
 * nothing, and stretches without an answer.
 */
export class FetchWatch {
  readonly #doubt: () => void;
  readonly #now: () => number;
  /** Nodes that have yet to answer. */
  readonly #asked = new Set<string>();
  readonly #answeredAt = new Map<string, number>();

  /** @param now any clock that runs evenly, ms: one that is set back would hide a silence */
  constructor(doubt: () => void, now: () => number = () => performance.now()) {
    this.#doubt = doubt;
    this.#now = now;
  }

  asked(node: string): void {
    if (this.#asked.has(node)) this.#doubt();
    this.#asked.add(node);
  }

  answered(node: string): void {
    const now = this.#now();
    if (now - (this.#answeredAt.get(node) ?? now) > LONG_MS) this.#doubt();
    this.#asked.delete(node);
    this.#answeredAt.set(node, now);
  }
}
