import { FIRST_VALUE, MISSING, OTHER } from './dimensions.js';
import { hashBytes } from './hash.js';

/** Values of one dimension that are known at a time: all later ones are `OTHER`. */
export const MOST_VALUES = 16_384;

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
    if (known === undefined) this.#codes.set(hash, [code]);
    else known.push(code);
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
  for (let i = 0; i < own.length; i++) if (own[i] !== bytes[start + i]) return false;
  return true;
}
