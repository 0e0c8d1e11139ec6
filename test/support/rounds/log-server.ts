import type { Schedule } from './schedule.js';

interface Stored {
  readonly stamp: number;
  readonly bytes: Uint8Array;
}

export type Found =
  | { readonly kind: 'found'; readonly records: readonly { position: string; bytes: Uint8Array }[] }
  | { readonly kind: 'gone'; readonly why: 'trimmed' | 'lost'; readonly from: string };

/**
 * A log of rounds in virtual time: what is appended arrives late, in another order, twice, or not at
 * all, and the answer may be wrong either way.
 */
export class LogServer {
  readonly #schedule: Schedule;
  #generation = 1;
  #trimmed = 0;
  #stamps = 0;
  #records: Stored[] = [];

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** @param isFaulty whether delays are long and records may come twice or get lost */
  append(bytes: Uint8Array, isFaulty: boolean, answer: (isWritten: boolean) => void): void {
    const { random, after } = this.#schedule;
    const arrive = () => this.#records.push({ stamp: ++this.#stamps, bytes });
    const delay = () => random() * (isFaulty && random() < 0.1 ? 400 : 5);
    const fate = isFaulty ? random() : 1;
    if (fate < 0.05) {
      after(delay(), () => answer(false));
      return;
    }
    const atMs = delay();
    after(atMs, arrive);
    if (isFaulty && random() < 0.1) after(atMs + delay(), arrive);
    after(atMs + delay(), () => answer(fate > 0.1));
  }

  read(after: string | null, most: number): Found {
    const [generation, count, stamp] = (after ?? `${this.#generation}-0-0`).split('-').map(Number);
    const from = `${this.#generation}-${this.#trimmed}-0`;
    const lost: Found = { kind: 'gone', why: 'lost', from };
    const end = this.#trimmed + this.#records.length;
    if (generation !== this.#generation || count! > end) return lost;
    if (count! < this.#trimmed) return { kind: 'gone', why: 'trimmed', from };
    const at = count! - this.#trimmed;
    const last = this.#records[at - 1]?.stamp;
    if (stamp !== 0 && last !== undefined && last !== stamp) return lost;
    const records = this.#records.slice(at, at + most).map((record, n) => ({
      position: `${generation}-${count! + n + 1}-${record.stamp}`,
      bytes: record.bytes,
    }));
    return { kind: 'found', records };
  }

  trim(through: string): void {
    const [generation, count] = through.split('-').map(Number);
    if (generation !== this.#generation || count! <= this.#trimmed) return;
    this.#trimmed += this.#records.splice(0, count! - this.#trimmed).length;
  }

  lose(): void {
    this.#generation++;
    this.#trimmed = 0;
    this.#records = [];
  }

  /** A replica takes over that lacks the newest records. */
  loseTail(count: number): void {
    this.#records.splice(-count);
  }
}
