/** Events that lie ahead, taken out by time; of the same time, in the order they were put in. */
export class EventQueue<Event extends { readonly ts: number }> {
  // A binary heap in two parallel arrays: heap[i] is not later than heap[2i+1] and heap[2i+2].
  readonly #heap: Event[] = [];
  readonly #sequence: number[] = [];
  #next = 0;

  /** Time of the earliest event, Infinity where there is none. */
  get earliest(): number {
    return this.#heap.length === 0 ? Number.POSITIVE_INFINITY : this.#heap[0].ts;
  }

  push(event: Event): void {
    const sequence = this.#next++;
    let hole = this.#heap.length;
    this.#heap.push(event);
    this.#sequence.push(sequence);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (this.#heap[parent].ts <= event.ts) break;
      this.#place(hole, this.#heap[parent], this.#sequence[parent]);
      hole = parent;
    }
    this.#place(hole, event, sequence);
  }

  /** The earliest event; undefined where there is none. */
  pop(): Event | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    const sequence = this.#sequence.pop();
    if (last === undefined || sequence === undefined || this.#heap.length === 0) return first;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= this.#heap.length) break;
      if (child + 1 < this.#heap.length && this.#precedes(child + 1, child)) child++;
      if (!this.#isBefore(child, last.ts, sequence)) break;
      this.#place(hole, this.#heap[child], this.#sequence[child]);
      hole = child;
    }
    this.#place(hole, last, sequence);
    return first;
  }

  #place(index: number, event: Event, sequence: number): void {
    this.#heap[index] = event;
    this.#sequence[index] = sequence;
  }

  #precedes(a: number, b: number): boolean {
    return this.#isBefore(a, this.#heap[b].ts, this.#sequence[b]);
  }

  #isBefore(index: number, ts: number, sequence: number): boolean {
    const own = this.#heap[index].ts;
    return own < ts || (own === ts && this.#sequence[index] < sequence);
  }
}
