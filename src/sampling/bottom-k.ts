/** One row of a sample: its id in two int32 halves, and its clock. */
export interface Drawn {
  readonly key: number;
  readonly idHigh: number;
  readonly idLow: number;
}

/**
 * The k rows with the smallest keys of all that were offered, whatever the order.
 *
 * The sample of a whole is the bottom k of its parts' bottom k's, so that partitions, workers and
 * restarts draw the same rows. Equal keys are told apart by id. A row with an infinite key is not
 * taken. O(log k) for a row that enters, O(1) for one that does not; memory O(k).
 * Source: Cohen & Kaplan 2007 (bottom-k sketches), with the keys of `samplingKey`.
 *
 * @example
 * const sample = new BottomK(1);
 * sample.add(0.7, 0, 1);
 * sample.add(0.2, 0, 2);
 * sample.rows(); // [{ key: 0.2, idHigh: 0, idLow: 2 }]
 */
export class BottomK {
  readonly k: number;
  /** A heap with the largest key on top. */
  readonly #heap: Drawn[] = [];

  /** @throws RangeError for a k that is not a whole number of at least 0. */
  constructor(k: number) {
    if (!Number.isSafeInteger(k) || k < 0) throw new RangeError(`k is ${k}`);
    this.k = k;
  }

  add(key: number, idHigh: number, idLow: number): void {
    if (!(key < Number.POSITIVE_INFINITY)) return;
    this.#take({ key, idHigh, idLow });
  }

  /** Takes in what another part drew, with the same seed and weights. */
  merge(other: BottomK): void {
    for (const row of other.#heap) this.#take(row);
  }

  /** The sample in ascending order of key. */
  rows(): Drawn[] {
    return [...this.#heap].sort(compare);
  }

  #take(row: Drawn): void {
    const heap = this.#heap;
    if (heap.length < this.k) {
      heap.push(row);
      this.#rise(heap.length - 1);
    } else if (heap.length > 0 && compare(row, heap[0]) < 0) {
      heap[0] = row;
      this.#sink();
    }
  }

  #rise(from: number): void {
    const heap = this.#heap;
    const row = heap[from];
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (compare(heap[parent], row) >= 0) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = row;
  }

  #sink(): void {
    const heap = this.#heap;
    const row = heap[0];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && compare(heap[child + 1], heap[child]) > 0) child++;
      if (compare(heap[child], row) <= 0) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = row;
  }
}

function compare(a: Drawn, b: Drawn): number {
  return a.key - b.key || a.idHigh - b.idHigh || a.idLow - b.idLow;
}
