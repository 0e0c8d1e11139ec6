import type { SumsLog } from '../../src/stream/ports.js';

/** A log of sums in memory, for all workers of a process. */
export class MemorySumsLog implements SumsLog {
  #records: Uint8Array[] = [];
  #first = 0;
  #life = 0;
  readonly #waiting = new Set<() => void>();

  async open(): Promise<void> {}

  async append(records: readonly Uint8Array[]): Promise<void> {
    this.#records.push(...records.map((bytes) => Uint8Array.from(bytes)));
    for (const wake of this.#waiting) wake();
  }

  async read({ offset, mark }: { offset: number; mark: string }, waitMs: number) {
    if (this.#isGone(offset, mark)) return 'gone' as const;
    if (offset === this.#end) await this.#come(waitMs);
    if (this.#isGone(offset, mark)) return 'gone' as const;
    const found = this.#records.slice(offset - this.#first);
    return found.map((bytes, n) => ({
      bytes,
      at: offset + n,
      next: { offset: offset + n + 1, mark: `${this.#life}` },
    }));
  }

  async ends() {
    const at = (offset: number) => ({ offset, mark: '' });
    return { first: at(this.#first), next: at(this.#end) };
  }

  async close(): Promise<void> {
    for (const wake of this.#waiting) wake();
  }

  /** Everything that was written. */
  get bytes(): number {
    return this.#records.reduce((sum, { length }) => sum + length, 0);
  }

  /** Another log takes its place. */
  recreate(): void {
    this.#records = [];
    this.#first = 0;
    this.#life++;
  }

  /** Drops what was written so far. */
  trim(): void {
    this.#first = this.#end;
    this.#records = [];
  }

  get #end(): number {
    return this.#first + this.#records.length;
  }

  #isGone(offset: number, mark: string): boolean {
    const isOther = mark !== '' && mark !== `${this.#life}`;
    return isOther || offset < this.#first || offset > this.#end;
  }

  #come(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      this.#waiting.add(end);
    });
  }
}
