/**
 * Size of a row, bytes: ten 32-bit words, the first four for two doubles, the others for six
 * integers.
 */
export const ROW_BYTES = 40;
const WORDS = 10;
const DOUBLES = 5;

/** Flag of a row: the interaction comes from randomised traffic. */
export const RANDOM = 1;
/** Flag of a row: the interaction is positive. */
export const POSITIVE = 2;
/** Flag of a row: it belongs to the train part. */
export const TRAIN = 4;

/**
 * Interactions in one buffer, row after row, so that they can be written to a file and read back
 * unchanged. Users, items and actions are dense integers.
 */
export class Rows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #doubles: Float64Array;
  readonly #words: Int32Array;

  constructor(
    buffer: ArrayBuffer,
    public length: number,
  ) {
    this.bytes = new Uint8Array(buffer);
    this.#doubles = new Float64Array(buffer);
    this.#words = new Int32Array(buffer);
  }

  static ofCapacity(rows: number): Rows {
    return new Rows(new ArrayBuffer(rows * ROW_BYTES), 0);
  }

  /** Get empty rows of at least a capacity; the given rows are reused if they are large enough. */
  static emptied(rows: Rows, capacity: number): Rows {
    if (rows.capacity < capacity) return Rows.ofCapacity(Math.ceil(capacity * 1.25));
    rows.length = 0;
    return rows;
  }

  get capacity(): number {
    return this.bytes.length / ROW_BYTES;
  }

  /** Bytes of the rows in use. */
  get used(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length * ROW_BYTES);
  }

  push(
    ts: number,
    value: number,
    user: number,
    item: number,
    idHigh: number,
    idLow: number,
    action: number,
    flags: number,
  ): void {
    const row = this.length++;
    this.#doubles[row * DOUBLES] = ts;
    this.#doubles[row * DOUBLES + 1] = value;
    const words = this.#words;
    const at = row * WORDS + 4;
    words[at] = user;
    words[at + 1] = item;
    words[at + 2] = idHigh;
    words[at + 3] = idLow;
    words[at + 4] = action;
    words[at + 5] = flags;
  }

  /** Append a copy of a row of other rows. */
  copy(from: Rows, row: number): void {
    this.#words.set(from.#words.subarray(row * WORDS, (row + 1) * WORDS), this.length++ * WORDS);
  }

  ts(row: number): number {
    return this.#doubles[row * DOUBLES];
  }

  value(row: number): number {
    return this.#doubles[row * DOUBLES + 1];
  }

  user(row: number): number {
    return this.#words[row * WORDS + 4];
  }

  item(row: number): number {
    return this.#words[row * WORDS + 5];
  }

  idHigh(row: number): number {
    return this.#words[row * WORDS + 6];
  }

  idLow(row: number): number {
    return this.#words[row * WORDS + 7];
  }

  action(row: number): number {
    return this.#words[row * WORDS + 8];
  }

  flags(row: number): number {
    return this.#words[row * WORDS + 9];
  }

  /** Replace a row's event id by the hash of its pair, and set its flags. */
  settle(row: number, high: number, low: number, flags: number): void {
    const at = row * WORDS + 6;
    this.#words[at] = high;
    this.#words[at + 1] = low;
    this.#words[at + 3] = flags;
  }
}
