import { NO_LIST } from './list-pages.js';
import { MOST_ROWS } from './row-index.js';

const CHUNK_BITS = 11;
const CHUNK = 1 << CHUNK_BITS;
/** Index of a row in its chunk: `row & ROW_MASK`. */
export const ROW_MASK = CHUNK - 1;
/** Row number that stands for no row. */
export const NO_ROW = -1;

/** Columns of 2,048 open requests. */
export class RequestChunk {
  readonly high = new Int32Array(CHUNK);
  readonly low = new Int32Array(CHUNK);
  readonly user = new Int32Array(CHUNK);
  readonly ts = new Float64Array(CHUNK);
  /** Number of the user's interactions before the request; −1 if unknown. */
  readonly history = new Int32Array(CHUNK);
  /** Index of the request's fault plus one, 0 for none. */
  readonly fault = new Uint8Array(CHUNK);
  /** Row of the next request that closes with the same pane. */
  readonly next = new Int32Array(CHUNK);
  /** Address of the request's first list in `ListPages`. */
  readonly lists = new Int32Array(CHUNK);
  /** Number of the request's group. */
  readonly group = new Int32Array(CHUNK);
  /**
   * 1 if a list of the request was served. `servedHigh` and `servedLow` are then the hash of the id
   * of that exposure.
   */
  readonly isServed = new Uint8Array(CHUNK);
  readonly servedHigh = new Int32Array(CHUNK);
  readonly servedLow = new Int32Array(CHUNK);
}

/**
 * Open requests of a partition, 46 bytes each, in chunks, so that growing does not copy. Rows of
 * closed requests are reused.
 */
export class RequestRows {
  readonly #chunks: RequestChunk[] = [];
  #length = 0;
  /** First free row; free rows are linked by `next`. */
  #free = NO_ROW;

  of(row: number): RequestChunk {
    return this.#chunks[row >> CHUNK_BITS];
  }

  /** Add a request without lists. */
  add(high: number, low: number, user: number, ts: number, history: number, group: number): number {
    const row = this.#take();
    const chunk = this.of(row);
    const at = row & ROW_MASK;
    chunk.high[at] = high;
    chunk.low[at] = low;
    chunk.user[at] = user;
    chunk.ts[at] = ts;
    chunk.history[at] = history;
    chunk.fault[at] = 0;
    chunk.isServed[at] = 0;
    chunk.next[at] = NO_ROW;
    chunk.lists[at] = NO_LIST;
    chunk.group[at] = group;
    return row;
  }

  free(row: number): void {
    this.of(row).next[row & ROW_MASK] = this.#free;
    this.#free = row;
  }

  #take(): number {
    if (this.#free !== NO_ROW) {
      const row = this.#free;
      this.#free = this.of(row).next[row & ROW_MASK];
      return row;
    }
    if (this.#length === MOST_ROWS) throw new RangeError('There are too many open requests.');
    if (this.#length === this.#chunks.length * CHUNK) {
      this.#chunks.push(new RequestChunk());
    }
    return this.#length++;
  }
}
