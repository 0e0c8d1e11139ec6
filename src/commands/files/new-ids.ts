import { hashBytes } from '../../events/hash.js';
import { Interner } from '../../state/ids/interner.js';

/** Ids that a table has come to know, in their order, to be sent to another thread. */
export interface NewIds {
  /** The sender has forgotten the ids before these, and numbers from 0 again. */
  readonly restarts: boolean;
  readonly lengths: Uint16Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A sender forgets what it knows above this many ids: its memory is bounded, the receiver's is not. */
const MAX_KNOWN = 1 << 20;

/** A table of ids whose new ones are passed on. */
export class ToldIds {
  #told = 0;
  #restarts = false;
  table = new Interner();

  constructor(private readonly maxKnown = MAX_KNOWN) {}

  /** What has come since the last call. Numbers that were given before it may be given again. */
  takeNew(): NewIds {
    const { table } = this;
    const lengths = new Uint16Array(table.size - this.#told);
    let total = 0;
    for (let n = 0; n < lengths.length; n++) {
      lengths[n] = table.byteLengthOf(this.#told + n);
      total += lengths[n];
    }
    const bytes = new Uint8Array(total);
    let at = 0;
    for (let n = 0; n < lengths.length; n++) at += table.copyTo(this.#told + n, bytes, at);
    const restarts = this.#restarts;
    this.#restarts = table.size >= this.maxKnown;
    if (this.#restarts) this.table = new Interner();
    this.#told = this.table.size;
    return { restarts, lengths, bytes };
  }
}

/** From the numbers that ids have with a sender to those that they have here. */
export class IdTranslation {
  #here = new Int32Array(1024);
  #known = 0;

  constructor(private readonly table: Interner) {}

  learn({ restarts, lengths, bytes }: NewIds): void {
    if (restarts) this.#known = 0;
    let start = 0;
    for (const length of lengths) {
      const end = start + length;
      if (this.#known === this.#here.length) this.#grow();
      const hash = hashBytes(bytes, start, end);
      this.#here[this.#known++] = this.table.intern(bytes, start, end, hash);
      start = end;
    }
  }

  /** Rewrites the first `length` numbers. */
  translate(ids: Int32Array, length: number): void {
    const here = this.#here;
    for (let n = 0; n < length; n++) ids[n] = here[ids[n]];
  }

  #grow(): void {
    const larger = new Int32Array(this.#here.length * 2);
    larger.set(this.#here);
    this.#here = larger;
  }
}
