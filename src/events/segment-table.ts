import { enlarged } from './column-table.js';
import { FIRST_VALUE, MISSING, OTHER, type SegmentDimension } from './dimensions.js';
import { hashBytes } from './hash.js';

/** Values of one dimension that are known at a time: all later ones are `OTHER`. */
const MOST_VALUES = 16_384;

/**
 * Codes of the values of one dimension, in the order in which they come, from `FIRST_VALUE` up.
 *
 * A code is a process's own and two bytes wide; what leaves the process goes by text. Which values
 * are shown is not settled here but by the rows of a window, so that neither the order of arrival nor
 * partitions reach a number, as long as there are no more values than there is room for.
 *
 * @example
 * const values = new SegmentValues();
 * values.codeOf('de'); // 2
 * values.codeOf('fr'); // 3
 * values.codeOf('de'); // 2
 */
export class SegmentValues {
  /** By code; the first two are nobody's. It only grows. */
  readonly names: string[] = ['', ''];
  /** How many events had a value that there was no room for. */
  overflow = 0;
  readonly #most: number;
  /** By hash of the text: the codes with it. */
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

  /** The same of a text. */
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
 * Codes of some events: that of event r in dimension d is codes[r * dimensions + d]. Empty while no
 * event says anything, and may be shorter: what is not there is missing.
 */
export class SegmentCodes {
  dimensions = 0;
  codes = new Uint16Array(0);

  get isEmpty(): boolean {
    return this.codes.length === 0;
  }

  /** @param capacity events that there is room for. @param own one code a dimension. */
  note(row: number, capacity: number, own: Uint16Array): void {
    this.dimensions = own.length;
    if (this.codes.length < capacity * own.length) {
      this.#grow(capacity);
    }
    this.codes.set(own, row * own.length);
  }

  /** Takes what another says of one of its events. */
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

  /** The event says nothing. */
  clear(row: number): void {
    this.codes.fill(0, row * this.dimensions, (row + 1) * this.dimensions);
  }

  /** Keeps some events, in new arrays. */
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

/** The values of all dimensions of a process. */
export class SegmentTable {
  readonly dimensions: readonly SegmentDimension[];
  readonly values: readonly SegmentValues[];

  constructor(dimensions: readonly SegmentDimension[], most?: number) {
    this.dimensions = dimensions;
    this.values = dimensions.map(() => new SegmentValues(most));
  }

  /** By dimension and code; they grow. */
  get names(): readonly (readonly string[])[] {
    return this.values.map(({ names }) => names);
  }

  /** Code of a value that came with state from elsewhere. */
  codeOf(dimension: number, value: string): number {
    return this.values[dimension].codeOf(value);
  }
}
