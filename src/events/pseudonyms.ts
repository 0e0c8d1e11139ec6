import type { IdTable } from './columns.js';
import { MAX_ID_BYTES } from './field.js';
import { hashBytes } from './hash.js';
import { Hmac } from './sha256.js';

/** A key for users' pseudonyms. */
export interface PseudonymKey {
  readonly key: string;
  /** Start of its validity, event time, ms; −Infinity if not stated. */
  readonly fromMs: number;
}

/** First character of a pseudonym, `~`. */
const MARK = 0x7e;
/** Number of letters after the first character: 16 bytes of the HMAC, in base64url. */
const LETTERS = 22;
const LENGTH = 1 + LETTERS;
const ALPHABET = Uint8Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  (letter) => letter.charCodeAt(0),
);
const IS_LETTER = new Uint8Array(256);
for (const letter of ALPHABET) {
  IS_LETTER[letter] = 1;
}

/**
 * Number of entries in the cache of pseudonyms. The entry of an id is chosen by a hash of the id.
 */
const PLACES = 1 << 15;
/** Longest id in the cache, bytes. */
const LONGEST_REMEMBERED = 39;
/**
 * Size of a cache entry, in bytes. An entry has the length of the id, the key that was used, the
 * bytes of the id, and the letters of its pseudonym.
 */
const PLACE_BYTES = 2 + LONGEST_REMEMBERED + LETTERS + 1;

/**
 * Replaces users by pseudonyms, so that stored and written data identify nobody:
 *
 *   ~ base64url(HMAC-SHA-256(key, user)[0…15])
 *
 * The key is the last one whose validity has started at the event's time, or else the first one, so
 * a user's pseudonym depends on the log and the keys alone. An id that is a pseudonym already stays
 * unchanged, so a log written by the intake can be read like any other.
 *
 * @example
 * const pseudonyms = new Pseudonyms([{ key: 'a secret of 32 characters or more', fromMs: 0 }]);
 * pseudonyms.of(pseudonyms.of('u7', 5), 9) === pseudonyms.of('u7', 5);
 */
export class Pseudonyms {
  readonly #keys: readonly {
    readonly hmac: Hmac;
    readonly fromMs: number;
  }[];
  readonly #known = new Uint8Array(PLACES * PLACE_BYTES);
  readonly #text = new Uint8Array(LENGTH);
  readonly #encoder = new TextEncoder();
  readonly #scratch = new Uint8Array(3 * MAX_ID_BYTES);
  /** Caches of pseudonyms by user id, one cache for each key; used for ids that came as text. */
  readonly #names: readonly Map<string, string>[];

  /** @param keys at least one, in the order of their validity */
  constructor(keys: readonly PseudonymKey[]) {
    this.#keys = keys.map(({ key, fromMs }) => ({
      hmac: new Hmac(this.#encoder.encode(key)),
      fromMs,
    }));
    this.#names = keys.map(() => new Map());
    this.#text[0] = MARK;
  }

  /** Pseudonym of a user in an event of this time, ms. */
  of(user: string, ts: number): string {
    return this.#under(user, this.keyAt(ts));
  }

  /** Pseudonyms of a user under all keys, that of the newest key first. */
  every(user: string): readonly string[] {
    return [...new Set(this.#keys.map((_, n) => this.#under(user, n)).reverse())];
  }

  /**
   * Intern the pseudonym of the user whose id is in bytes start ≤ i < end. Returns −1 if the table
   * rejects it.
   */
  intern(table: IdTable, ts: number, bytes: Uint8Array, start: number, end: number): number {
    if (isPseudonym(bytes, start, end)) {
      return table.intern(bytes, start, end, hashBytes(bytes, start, end));
    }
    const text = this.#make(bytes, start, end, this.keyAt(ts));
    return table.intern(text, 0, LENGTH, hashBytes(text, 0, LENGTH));
  }

  /**
   * Pseudonym for a user of a stored state, which may contain users' ids. It is derived with the
   * first key. If another user of the state already has it, the next pseudonym is derived from this
   * one, and so on.
   */
  renamed(
    bytes: Uint8Array,
    start: number,
    end: number,
    isTaken: (text: Uint8Array) => boolean,
  ): Uint8Array {
    let text = isPseudonym(bytes, start, end)
      ? bytes.slice(start, end)
      : this.#make(bytes, start, end, 0).slice();
    while (isTaken(text)) {
      text = this.#make(text, 0, text.length, 0).slice();
    }
    return text;
  }

  #under(user: string, key: number): string {
    const names = this.#names[key];
    const known = names.get(user);
    if (known !== undefined) return known;
    const { written } = this.#encoder.encodeInto(user, this.#scratch);
    if (isPseudonym(this.#scratch, 0, written)) return user;
    this.#write(this.#scratch, 0, written, key);
    const name = String.fromCharCode(...this.#text);
    if (names.size === PLACES) {
      names.clear();
    }
    names.set(user, name);
    return name;
  }

  /**
   * Pseudonym of an id, derived or from the cache. The returned bytes are valid until the next
   * call.
   */
  #make(bytes: Uint8Array, start: number, end: number, key: number): Uint8Array {
    const text = this.#text;
    const length = end - start;
    if (length > LONGEST_REMEMBERED) {
      this.#write(bytes, start, end, key);
      return text;
    }
    const known = this.#known;
    const place = (hashBytes(bytes, start, end) & (PLACES - 1)) * PLACE_BYTES;
    const letters = place + 2 + LONGEST_REMEMBERED;
    if (this.#holds(place, bytes, start, end, key)) {
      for (let i = 0; i < LETTERS; i++) {
        text[1 + i] = known[letters + i];
      }
      return text;
    }
    this.#write(bytes, start, end, key);
    known[place] = length;
    known[place + 1] = key;
    for (let i = 0; i < length; i++) {
      known[place + 2 + i] = bytes[start + i];
    }
    for (let i = 0; i < LETTERS; i++) {
      known[letters + i] = text[1 + i];
    }
    return text;
  }

  #holds(place: number, bytes: Uint8Array, start: number, end: number, key: number): boolean {
    const known = this.#known;
    if (known[place] !== end - start || known[place + 1] !== key) return false;
    // An id has at least one byte, so an entry of length 0 is empty.
    if (end === start) return false;
    for (let i = start, at = place + 2; i < end; i++, at++) {
      if (known[at] !== bytes[i]) return false;
    }
    return true;
  }

  #write(bytes: Uint8Array, start: number, end: number, key: number): void {
    const digest = this.#keys[key].hmac.of(bytes, start, end);
    for (let letter = 0; letter < LETTERS; letter++) {
      const bit = 6 * letter;
      const word = bit >>> 5;
      const from = bit & 31;
      // The 16 bytes end within the last letter, which is padded with zeros.
      const next = word < 3 ? digest[word + 1] : 0;
      const six = from <= 26 ? digest[word] >>> (26 - from) : spanning(digest[word], next, from);
      this.#text[1 + letter] = ALPHABET[six & 63];
    }
  }

  /** Index of the key that is valid at an event time, ms. */
  keyAt(ts: number): number {
    let key = this.#keys.length - 1;
    while (key > 0 && ts < this.#keys[key].fromMs) {
      key--;
    }
    return key;
  }
}

/** Six bits of two consecutive words: they start at bit `from` of `word` and end in `next`. */
function spanning(word: number, next: number, from: number): number {
  return (word << (from - 26)) | (next >>> (58 - from));
}

function isPseudonym(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== LENGTH || bytes[start] !== MARK) return false;
  for (let i = start + 1; i < end; i++) {
    if (IS_LETTER[bytes[i]] === 0) return false;
  }
  return true;
}
