import { hash64 } from '../../events/hash.js';
import { byTime, type Part } from './part.js';

/**
 * A part of an incomplete list, with the offsets of the first and the last record that contained
 * the part.
 */
export interface HeldPart {
  readonly part: Part;
  readonly offset: number;
  lastOffset: number;
}

/** The parts of a complete list. */
export interface Piece {
  readonly parts: readonly HeldPart[];
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/**
 * Time up to which the parts of a key are written. It is stored while later parts of the key may
 * continue a written list without a gap.
 */
export interface Cut {
  /** Parts before this event time are written, ms. */
  readonly before: number;
  readonly lastOffset: number;
}

/** The parts of one key that are not in a complete list. */
interface OpenList {
  parts: HeldPart[];
  /** Parts by id, for detecting duplicates. */
  readonly ids: Map<string, HeldPart>;
  /** Event time of the earliest part, ms. */
  first: number;
  /** Event time of the latest part, ms. */
  last: number;
  /** Second in which a list of the key may be complete; NaN if none is scheduled. */
  bucket: number;
}

/** Maximum duration of a list, as a multiple of the maximum gap between its parts. */
export const LONGEST_LIST_GAPS = 10;

const BUCKET_MS = 1000;
const encoder = new TextEncoder();
const halves = new Int32Array(2);

/**
 * Parts of incomplete lists by key: user, shared list id, surface and page. The parts of a key are
 * divided into lists by their times only:
 *
 *   a list ends before a part that is more than `gapMs` after the previous part, or `withinMs`
 *   or more after the first part of the list
 *
 * So the result depends on the parts, not on their order of arrival.
 */
export class OpenLists {
  readonly #gapMs: number;
  readonly #withinMs: number;
  readonly #byKey = new Map<string, OpenList>();
  /** Keys by the second (event time, rounded down) after which one of their lists is complete. */
  readonly #due = new Map<number, Set<string>>();
  /** Number of keys by the second of their first part (event time, rounded down). */
  readonly #firsts = new Map<number, number>();
  /** Offsets of the parts of incomplete lists, in order of arrival. */
  readonly #offsets = new Set<number>();
  /** Times up to which keys are written, by hash of the key. */
  readonly #cuts: Map<string, Cut>;

  constructor(gapMs: number, withinMs: number, cuts: Iterable<readonly [string, Cut]> = []) {
    this.#gapMs = gapMs;
    this.#withinMs = withinMs;
    this.#cuts = new Map(cuts);
  }

  /** Number of parts of incomplete lists. */
  get parts(): number {
    return this.#offsets.size;
  }

  /** Offset of the part that arrived first; undefined if there is none. */
  get firstOffset(): number | undefined {
    return this.#offsets.values().next().value;
  }

  /**
   * Lower bound of the earliest start of an incomplete list, to the second, ms; Infinity if there
   * is none.
   */
  get earliest(): number {
    return Math.min(...this.#firsts.keys()) * BUCKET_MS;
  }

  /**
   * Cuts of the keys whose written parts are read again if reading starts at this offset. Other
   * cuts are dropped.
   */
  cutsFrom(offset: number): readonly (readonly [string, Cut])[] {
    for (const [key, { lastOffset }] of this.#cuts) {
      if (lastOffset < offset) {
        this.#cuts.delete(key);
      }
    }
    return [...this.#cuts];
  }

  /** Whether the part is in a list that was written before a restart. */
  isBeforeCut(part: Part): boolean {
    if (this.#cuts.size === 0) return false;
    const cut = this.#cuts.get(hashOf(keyOf(part)));
    return cut !== undefined && part.event.ts < cut.before;
  }

  /**
   * Add a part.
   *
   * @returns false for a duplicate
   */
  add(part: Part, offset: number): boolean {
    const key = keyOf(part);
    const { ts, id } = part.event;
    const open = this.#byKey.get(key) ?? this.#begun(key, ts);
    const same = open.ids.get(id);
    if (same !== undefined) {
      same.lastOffset = offset;
      return false;
    }
    const held = {
      part,
      offset,
      lastOffset: offset,
    };
    open.parts.push(held);
    open.ids.set(id, held);
    if (ts < open.first) {
      this.#setFirst(open, ts);
    }
    open.last = Math.max(open.last, ts);
    this.#offsets.add(offset);
    this.#schedule(key, open);
    return true;
  }

  /**
   * Remove and return the lists that are complete if no further part can be earlier than `horizon`,
   * event time, ms.
   */
  take(horizon: number): Piece[] {
    const pieces: Piece[] = [];
    for (const [bucket, keys] of [...this.#due]) {
      if (bucket * BUCKET_MS >= horizon) continue;
      this.#due.delete(bucket);
      for (const key of keys) {
        this.#takeOf(key, horizon, pieces);
      }
    }
    return pieces;
  }

  #takeOf(key: string, horizon: number, pieces: Piece[]): void {
    const open = this.#byKey.get(key)!;
    open.bucket = Number.NaN;
    open.parts.sort((a, b) => byTime(a.part, b.part));
    let from = 0;
    while (from < open.parts.length) {
      const end = this.#endOf(open.parts, from);
      const first = tsAt(open.parts, from);
      const last = tsAt(open.parts, end - 1);
      const isApart = horizon > last + this.#gapMs;
      if (!isApart && horizon <= first + this.#withinMs) break;
      const goesOn = end < open.parts.length && tsAt(open.parts, end) <= last + this.#gapMs;
      const piece = pieceOf(open.parts.slice(from, end));
      this.#noteCut(key, piece, isApart && !goesOn ? last + 1 : first + this.#withinMs, {
        isCut: !isApart || goesOn,
      });
      pieces.push(piece);
      for (const { offset, part } of piece.parts) {
        this.#offsets.delete(offset);
        open.ids.delete(part.event.id);
      }
      from = end;
    }
    open.parts = open.parts.slice(from);
    if (open.parts.length === 0) {
      this.#byKey.delete(key);
      this.#countFirst(open.first, -1);
      return;
    }
    this.#setFirst(open, tsAt(open.parts, 0));
    open.last = tsAt(open.parts, open.parts.length - 1);
    this.#schedule(key, open);
  }

  #begun(key: string, ts: number): OpenList {
    const open = {
      parts: [],
      ids: new Map(),
      first: ts,
      last: ts,
      bucket: Number.NaN,
    };
    this.#byKey.set(key, open);
    this.#countFirst(ts, 1);
    return open;
  }

  #setFirst(open: OpenList, first: number): void {
    this.#countFirst(open.first, -1);
    this.#countFirst(first, 1);
    open.first = first;
  }

  #countFirst(ts: number, by: number): void {
    const bucket = Math.floor(ts / BUCKET_MS);
    const count = (this.#firsts.get(bucket) ?? 0) + by;
    if (count === 0) {
      this.#firsts.delete(bucket);
    } else {
      this.#firsts.set(bucket, count);
    }
  }

  /**
   * Note up to when the parts of a key are written, if the list was cut before its end (`isCut`).
   * This is also noted for a list that follows a cut one: if it were read again without the list
   * before it, it would start elsewhere.
   */
  #noteCut(key: string, piece: Piece, before: number, { isCut }: { isCut: boolean }): void {
    if (!isCut && this.#cuts.size === 0) return;
    const hash = hashOf(key);
    if (isCut || this.#cuts.has(hash)) {
      this.#cuts.set(hash, {
        before,
        lastOffset: piece.lastOffset,
      });
    }
  }

  #endOf(parts: readonly HeldPart[], from: number): number {
    const first = tsAt(parts, from);
    let end = from + 1;
    while (
      end < parts.length &&
      tsAt(parts, end) - tsAt(parts, end - 1) <= this.#gapMs &&
      tsAt(parts, end) < first + this.#withinMs
    ) {
      end++;
    }
    return end;
  }

  #schedule(key: string, open: OpenList): void {
    const due = Math.min(open.first + this.#withinMs, open.last + this.#gapMs);
    const bucket = Math.floor(due / BUCKET_MS);
    if (bucket === open.bucket) return;
    const before = this.#due.get(open.bucket);
    if (before?.delete(key) && before.size === 0) {
      this.#due.delete(open.bucket);
    }
    const keys = this.#due.get(bucket) ?? new Set();
    this.#due.set(bucket, keys.add(key));
    open.bucket = bucket;
  }
}

function pieceOf(parts: readonly HeldPart[]): Piece {
  return {
    parts,
    firstOffset: parts.reduce(
      (least, { offset }) => Math.min(least, offset),
      Number.POSITIVE_INFINITY,
    ),
    lastOffset: parts.reduce((most, { lastOffset }) => Math.max(most, lastOffset), -1),
  };
}

function tsAt(parts: readonly HeldPart[], at: number): number {
  return parts[at]!.part.event.ts;
}

function keyOf({ event, list, surface, page }: Part): string {
  return JSON.stringify([event.user, list ?? null, surface ?? null, page ?? null]);
}

/** Hash of a key for stored state, which must not contain the user's id. */
function hashOf(key: string): string {
  const bytes = encoder.encode(key);
  hash64(bytes, 0, bytes.length, halves);
  return [...halves].map((half) => (half >>> 0).toString(36)).join('.');
}
