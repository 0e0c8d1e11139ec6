import type { EventDraft } from './draft.js';
import { ACTION, EXPOSURE, ID, ITEM, MODEL, REQUEST_FIELD, USER, VALUE } from './field.js';
import { WordBytes } from './json-text.js';
import type { EventRole } from './parse.js';
import { MARGIN, type ScannerProgram, scannerProgram } from './scanner-program.js';
import { isSound } from './sound.js';

const TEXTS = [ID, USER, ITEM, MODEL, EXPOSURE, REQUEST_FIELD, ACTION];
/**
 * Number of words, of four bytes each, for a segment dimension: address and length of its name,
 * then start and end address of the event's value.
 */
const DIMENSION = 4;

/**
 * Compiled scanner that all instances share: each event is copied to its draft before the next one
 * is read.
 */
let shared: ScannerProgram | undefined;

/**
 * Fast path from bytes to a draft: one pass over the bytes of a valid event in plain form, in
 * WebAssembly.
 *
 * It gives the same result as `EventParser` or declines. It declines invalid events, escapes,
 * repeated fields, deep nesting, and numbers that one division does not give exactly.
 */
export class EventScanner {
  readonly #draft: EventDraft;
  readonly #program: ScannerProgram;
  /** View of the program's memory. */
  readonly #text = new WordBytes(0);
  #ints = new Uint32Array(0);
  #floats = new Float32Array(0);
  #doubles = new Float64Array(0);
  #input = 0;
  #room = 0;
  readonly #dimensions: number;
  readonly #stated: number;
  readonly #starts: number;
  readonly #ends: number;
  readonly #items: number;
  readonly #chances: number;
  readonly #scores: number;

  constructor(draft: EventDraft) {
    this.#draft = draft;
    shared ??= scannerProgram(() => -1);
    this.#program = shared;
    const { statedAt, startsAt, endsAt, itemsAt, chancesAt, scoresAt } = shared;
    this.#stated = statedAt.value;
    this.#starts = startsAt.value >>> 2;
    this.#ends = endsAt.value >>> 2;
    this.#items = itemsAt.value >>> 2;
    this.#chances = chancesAt.value >>> 2;
    this.#scores = scoresAt.value >>> 3;
    this.#dimensions = shared.alloc(4 * DIMENSION * draft.dimensions.length) >>> 2;
    for (const [d, name] of draft.dimensions.entries()) {
      const at = shared.alloc(name.length);
      this.#look();
      this.#text.bytes.set(name, at);
      this.#ints.set([at, name.length], this.#dimensions + DIMENSION * d);
    }
  }

  /** Read an event into the draft. @returns false if it is declined, so that the parser decides */
  scan(bytes: Uint8Array, start: number, end: number, role: EventRole, latestTs: number): boolean {
    const length = end - start;
    if (length >= this.#room) {
      this.#room = Math.max(4096, 2 * length);
      this.#input = this.#program.alloc(this.#room + MARGIN);
    }
    this.#look();
    const input = this.#input;
    this.#text.bytes.set(length === bytes.length ? bytes : bytes.subarray(start, end), input);
    const draft = this.#draft;
    const names = 4 * this.#dimensions;
    const { length: count } = draft.dimensions;
    const isKept = draft.scale !== undefined;
    if (this.#program.read(input, input + length, names, count, isKept) === 0) return false;
    return isSound(draft, this.#fill(draft), role, latestTs);
  }

  #fill(draft: EventDraft) {
    const ints = this.#ints;
    const doubles = this.#doubles;
    const stated = this.#stated >>> 3;
    draft.clear(this.#text);
    draft.ts = doubles[stated];
    draft.value = doubles[stated + 1];
    draft.candidates = doubles[stated + 2];
    draft.share = doubles[stated + 3];
    draft.depth = doubles[stated + 4];
    draft.firstRank = doubles[stated + 5];
    const rest = (this.#stated >>> 2) + 12;
    const present = ints[rest];
    draft.isValueStated = (present & (1 << VALUE)) !== 0;
    draft.flags = ints[rest + 1];
    draft.propensityOf = ints[rest + 2];
    for (const field of TEXTS) {
      if ((present & (1 << field)) === 0) continue;
      draft.start[field] = ints[this.#starts + field];
      draft.end[field] = ints[this.#ends + field];
    }
    const items = this.#items;
    const itemCount = ints[rest + 4];
    for (let i = 0; i < itemCount; i++) {
      draft.addItem(ints[items + 2 * i], ints[items + 2 * i + 1]);
    }
    for (let i = 0; i < ints[rest + 5]; i++) {
      draft.addPropensity(this.#floats[this.#chances + i]);
    }
    const scoreCount = ints[rest + 6];
    if (draft.scale !== undefined) {
      for (let i = 0; i < scoreCount; i++) {
        draft.addScore(doubles[this.#scores + i]);
      }
    }
    for (let d = 0; d < draft.dimensions.length; d++) {
      const at = this.#dimensions + DIMENSION * d + 2;
      if (ints[at + 1] > 0) {
        draft.stateSegment(d, ints[at], ints[at + 1]);
      }
    }
    return {
      present,
      scoreCount,
      saysExposure: ints[rest + 3] === 1,
    };
  }

  #look(): void {
    const { buffer } = this.#program.memory;
    if (this.#ints.buffer === buffer) return;
    this.#text.bytes = new Uint8Array(buffer);
    this.#text.view = new DataView(buffer);
    this.#ints = new Uint32Array(buffer);
    this.#floats = new Float32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }
}
