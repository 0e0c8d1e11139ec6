import { enlarged } from './column-table.js';
import { FIRST_VALUE, MISSING, OTHER, type SegmentDimension } from './dimensions.js';
import { hashBytes } from './hash.js';

/** Maximum number of distinct values of a dimension; values that come later are `OTHER`. */
const MOST_VALUES = 16_384;

/**
 * Codes of the values of one segment dimension, in order of arrival, from `FIRST_VALUE` up. A code
 * fits two bytes.
 *
 * Codes differ between processes, so output and stored state have texts instead of codes. The rows
 * of a window decide which values are reported. Results therefore do not depend on the order of
 * arrival or on partitions, unless a dimension has more values than the maximum number.
 *
 * @example
 * const values = new SegmentValues();
 * values.codeOf('de'); // 2
 * values.codeOf('fr'); // 3
 * values.codeOf('de'); // 2
 */
export class SegmentValues {
  /** Text of each code; empty for `MISSING` and `OTHER`. It only grows. */
  readonly names: string[] = ['', ''];
  /**
   * Number of events whose value has no code, because the maximum number of values was reached
   * before.
   */
  overflow = 0;
  readonly #most: number;
  /** Codes of values by the hash of the value; several values may have the same hash. */
  readonly #codes = new Map<number, number[]>();
  readonly #bytes: Uint8Array[] = [];

  constructor(most = MOST_VALUES) {
    this.#most = most;
  }

  /** Code of a text in UTF-8; `MISSING` for an empty one. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    if (end <= start) return MISSING;
    const hash = hashBytes(bytes, start, end);
    const known = this.#codes.get(hash);
    for (const code of known ?? []) {
      if (isText(this.#bytes[code - FIRST_VALUE], bytes, start, end)) return code;
    }
    if (this.names.length - FIRST_VALUE >= this.#most) {
      this.overflow++;
      return OTHER;
    }
    const own = bytes.slice(start, end);
    const code = this.names.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(own)) - 1;
    this.#bytes.push(own);
    if (known === undefined) {
      this.#codes.set(hash, [code]);
    } else {
      known.push(code);
    }
    return code;
  }

  /** Code of a value; `MISSING` for an empty one. */
  codeOf(value: string): number {
    const bytes = new TextEncoder().encode(value);
    return this.intern(bytes, 0, bytes.length);
  }
}

function isText(own: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (own.length !== end - start) return false;
  for (let i = 0; i < own.length; i++) {
    if (own[i] !== bytes[start + i]) return false;
  }
  return true;
}

/**
 * Segment codes of a batch of events. The code of event r in dimension d is codes[r * dimensions +
 * d]. Codes beyond the end of the array are `MISSING`; it is empty if no event has segments.
 */
export class SegmentCodes {
  dimensions = 0;
  codes = new Uint16Array(0);

  get isEmpty(): boolean {
    return this.codes.length === 0;
  }

  /**
   * Set the codes of an event.
   *
   * @param capacity  number of events to reserve space for
   * @param own  one code for each dimension
   */
  note(row: number, capacity: number, own: Uint16Array): void {
    this.dimensions = own.length;
    if (this.codes.length < capacity * own.length) {
      this.#grow(capacity);
    }
    this.codes.set(own, row * own.length);
  }

  /** Copy the codes of an event of another batch. */
  copy(row: number, capacity: number, from: SegmentCodes, fromRow: number): void {
    if (from.isEmpty) {
      if (!this.isEmpty) {
        this.clear(row);
      }
      return;
    }
    this.dimensions = from.dimensions;
    const { dimensions } = this;
    if (this.codes.length < capacity * dimensions) {
      this.#grow(capacity);
    }
    for (let d = 0; d < dimensions; d++) {
      this.codes[row * dimensions + d] = from.codes[fromRow * dimensions + d] ?? 0;
    }
  }

  /** Set all codes of an event to `MISSING`. */
  clear(row: number): void {
    this.codes.fill(0, row * this.dimensions, (row + 1) * this.dimensions);
  }

  /** Keep the codes of some events only, in a new array. */
  keep(rows: Int32Array): void {
    if (this.isEmpty) return;
    const { dimensions, codes } = this;
    const kept = new Uint16Array(codes.length);
    for (let n = 0; n < rows.length; n++) {
      for (let d = 0; d < dimensions; d++) {
        kept[n * dimensions + d] = codes[rows[n] * dimensions + d] ?? 0;
      }
    }
    this.codes = kept;
  }

  #grow(capacity: number): void {
    this.codes = enlarged(this.codes, capacity * this.dimensions);
  }
}

/** Values of all segment dimensions in one process. */
export class SegmentTable {
  readonly dimensions: readonly SegmentDimension[];
  readonly values: readonly SegmentValues[];

  constructor(dimensions: readonly SegmentDimension[], most?: number) {
    this.dimensions = dimensions;
    this.values = dimensions.map(() => new SegmentValues(most));
  }

  /** Texts of the values by dimension and code; the arrays grow. */
  get names(): readonly (readonly string[])[] {
    return this.values.map(({ names }) => names);
  }

  /** Code of a value from stored state or another process. */
  codeOf(dimension: number, value: string): number {
    return this.values[dimension].codeOf(value);
  }
}
