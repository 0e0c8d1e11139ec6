import { depthCounts, levelWithin } from '../panes/sample-level.js';
import { type OpenRequest, requestDepth } from './open-request.js';

/** A group as it was written. */
export interface WrittenGroup {
  readonly level: number;
  readonly sampledOut: number;
  readonly requests: Iterable<OpenRequest>;
}

/**
 * Requests that close with the same pane, no more than a limit: when there would be more, the level
 * rises, and those whose hash lies less deep are dropped. Since the level only rises, and rises to
 * what all requests of the group so far ask for, it does not depend on the order in which they came.
 */
export class RequestGroup {
  readonly requests: Set<OpenRequest>;
  /** Served lists of requests that are not kept. */
  sampledOut = 0;
  readonly #limit: number;
  #level: number;

  /** @param written with what it begins; with nothing if left out. */
  constructor(limit: number, written?: WrittenGroup) {
    this.#limit = limit;
    this.#level = written?.level ?? 0;
    this.sampledOut = written?.sampledOut ?? 0;
    this.requests = new Set(written?.requests);
  }

  /** How deep the hash of a request has to lie for it to be kept. */
  get level(): number {
    return this.#level;
  }

  /** Adds a request of this level or deeper; @returns those that make room for it, if any. */
  add(request: OpenRequest): OpenRequest[] {
    this.requests.add(request);
    if (this.requests.size <= this.#limit) return [];
    const counts = depthCounts();
    for (const { high } of this.requests) counts[requestDepth(high)]++;
    this.#level = levelWithin(counts, this.#limit);
    const dropped = [...this.requests].filter(({ high }) => requestDepth(high) < this.#level);
    for (const each of dropped) {
      this.requests.delete(each);
      if (each.served !== undefined) this.sampledOut++;
    }
    return dropped;
  }
}
