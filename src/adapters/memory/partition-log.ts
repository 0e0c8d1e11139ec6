export interface StoredRecords {
  readonly values: readonly (Uint8Array | null)[];
  readonly recordTs: Float64Array;
  /** Epoch of the leader that accepted each record. */
  readonly epochs: readonly number[];
}

/** The newest `limit` records of one partition; offsets start at 0 and only increase. */
export class PartitionLog {
  readonly #appended = new Set<() => void>();
  #values: (Uint8Array | null)[] = [];
  #recordTs: number[] = [];
  #epochs: number[] = [];
  #epoch = 0;
  /** Number of trimmed entries at the front that are not yet removed. */
  #trimmed = 0;
  #firstStored = 0;

  constructor(private readonly limit: number) {}

  /** Offset of the oldest stored record. */
  get low(): number {
    return this.#firstStored + this.#trimmed;
  }

  /** Offset of the next record to be written. */
  get high(): number {
    return this.#firstStored + this.#values.length;
  }

  append(value: Uint8Array | null, ts: number): void {
    this.#values.push(value);
    this.#recordTs.push(ts);
    this.#epochs.push(this.#epoch);
    if (this.#values.length - this.#trimmed > this.limit) {
      this.#trim();
    }
  }

  /** Truncate the log at an offset, as when a new leader lacks records. */
  truncate(offset: number): void {
    const left = Math.max(this.#trimmed, offset - this.#firstStored);
    for (const column of [this.#values, this.#recordTs, this.#epochs]) {
      column.length = Math.min(column.length, left);
    }
    this.#epoch++;
    this.notify();
  }

  /** Recreate the log, empty and at offset 0. */
  recreate(): void {
    for (const column of [this.#values, this.#recordTs, this.#epochs]) {
      column.length = 0;
    }
    this.#trimmed = 0;
    this.#firstStored = 0;
    this.#epoch = 0;
    this.notify();
  }

  /** Wake waiting readers; called once for many appended records. */
  notify(): void {
    const waiting = [...this.#appended];
    this.#appended.clear();
    for (const wake of waiting) {
      wake();
    }
  }

  /** Resolves when the log no longer ends at `offset`, or when the signal is aborted. */
  reached(offset: number, signal: AbortSignal): Promise<void> {
    if (this.high !== offset || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#appended.delete(wake);
        resolve();
      };
      signal.addEventListener('abort', wake);
      this.#appended.add(wake);
    });
  }

  /** Read up to `count` records from `offset`, which must be at least `low`. */
  read(offset: number, count: number): StoredRecords {
    const start = offset - this.#firstStored;
    const end = start + count;
    const recordTs = Float64Array.from(this.#recordTs.slice(start, end));
    return {
      values: this.#values.slice(start, end),
      recordTs,
      epochs: this.#epochs.slice(start, end),
    };
  }

  #trim(): void {
    // Release the record's bytes now, and the entries once `limit` of them are trimmed.
    this.#values[this.#trimmed++] = null;
    if (this.#trimmed < this.limit) return;
    this.#values = this.#values.slice(this.#trimmed);
    this.#recordTs = this.#recordTs.slice(this.#trimmed);
    this.#epochs = this.#epochs.slice(this.#trimmed);
    this.#firstStored += this.#trimmed;
    this.#trimmed = 0;
  }
}
