import { SAMPLED } from '../../events/columns.js';
import {
  LIST_CANDIDATES_UNSTATED,
  LIST_FULL,
  LIST_PARTIAL,
  LIST_SAMPLED_FULL,
  NOT_IN_LIST,
} from './window-part.js';

export const LIST_BITS = 12;
export const LISTS_PER_SEGMENT = 1 << LIST_BITS;
const ITEMS_PER_SEGMENT = 65_536;
export const SEGMENT_MASK = 0x7ffff;
const LONGEST_SEGMENT_MS = 0x7fffffff;
/**
 * Number of 32-bit words in a list's header. Word 0 is the user. Word 1 has the model with flags in
 * the upper half and the list code in the lower half. Word 2 is the index of the list's first item.
 * Word 3 is the time since the segment's first list, ms.
 */
export const HEADER = 4;
/** Flag beside the model in a header: the list is randomised. */
export const RANDOMIZED_LIST = 0x8000;
/** Flag beside the model in a header: the list was not shown. */
export const HIDDEN_LIST = 0x4000;
/**
 * Flag beside the model in a header: the list was shown before the counted period, so it does not
 * count as exposure.
 */
export const EARLIER_LIST = 0x2000;
export const MODEL_MASK = 0x1fff;

/**
 * Storage of consecutive lists, in order of event time. A segment is dropped as a whole when its
 * newest list has expired.
 */
export interface Segment {
  readonly items: Int32Array;
  /** Logged propensities by item index; 0 if not logged. Undefined if no list has them. */
  propensities: Float32Array | undefined;
  /** Scores by item index; NaN if not logged. Undefined if no list has them. */
  scores?: Float32Array | undefined;
  /**
   * By item index: reward class of the best action attributed to the item. Undefined before the
   * first action.
   */
  best?: Uint8Array | undefined;
  readonly headers: Int32Array;
  readonly firstTs: number;
  newestTs: number;
  lists: number;
  used: number;
}

/** Renumber the models in the headers of the first `lists` lists. */
export function withModels(
  headers: Int32Array,
  lists: number,
  numberOf: (model: number) => number,
): Int32Array {
  const changed = headers.slice(0, lists * HEADER);
  for (let at = 1; at < changed.length; at += HEADER) {
    const origin = changed[at] >>> 16;
    const model = numberOf(origin & MODEL_MASK) | (origin & ~MODEL_MASK);
    changed[at] = (model << 16) | (changed[at] & 0xffff);
  }
  return changed;
}

/** Create an empty segment for a first list of `size` items. */
export function newSegment(size: number, ts: number, isFirst: boolean): Segment {
  // The first segment is small: idle partitions hold few lists.
  const items = isFirst ? ITEMS_PER_SEGMENT / 16 : ITEMS_PER_SEGMENT;
  return {
    items: new Int32Array(Math.max(size, items)),
    propensities: undefined,
    scores: undefined,
    best: undefined,
    headers: new Int32Array(LISTS_PER_SEGMENT * HEADER),
    firstTs: ts,
    newestTs: ts,
    lists: 0,
    used: 0,
  };
}

/** Whether the segment has room for a list of `size` items. */
export function hasRoom(
  { lists, used, items, firstTs }: Segment,
  size: number,
  ts: number,
): boolean {
  return (
    lists < LISTS_PER_SEGMENT && used + size <= items.length && ts - firstTs <= LONGEST_SEGMENT_MS
  );
}

/** Copy a segment into one with room for `capacity` items, so that lists can be added. */
export function withRoom(segment: Segment, capacity: number): Segment {
  const items = new Int32Array(capacity);
  items.set(segment.items);
  const headers = new Int32Array(LISTS_PER_SEGMENT * HEADER);
  headers.set(segment.headers);
  const { propensities, scores, best } = segment;
  const roomy = <A extends Float32Array | Uint8Array>(from: A | undefined, to: A) => {
    if (from !== undefined) {
      to.set(from);
    }
    return from && to;
  };
  return {
    ...segment,
    items,
    headers,
    propensities: roomy(propensities, new Float32Array(capacity)),
    scores: roomy(scores, new Float32Array(capacity).fill(Number.NaN)),
    best: roomy(best, new Uint8Array(capacity)),
  };
}

/**
 * Find the 0-based rank of an item in a list; `NOT_IN_LIST` if the list lacks it. Searches from the
 * top, where most interactions are.
 */
export function rankOf(item: number, items: Int32Array, start: number, length: number): number {
  for (let at = start; at < start + length; at++) {
    if (items[at] === item) return at - start;
  }
  return NOT_IN_LIST;
}

/**
 * Encode a list's length and kind of candidates, as in `WindowPart.lists`. The code is 0 if the
 * list ranks only some of a sampled candidate set, since no metric can be computed from it.
 */
export function listCode(length: number, candidates: number, flags: number): number {
  const full = candidates === length;
  if ((flags & SAMPLED) !== 0) return full ? length | LIST_SAMPLED_FULL : 0;
  // A list without items certainly does not rank all candidates.
  if (candidates < 0) return length === 0 ? LIST_PARTIAL : length | LIST_CANDIDATES_UNSTATED;
  return length | (full ? LIST_FULL : LIST_PARTIAL);
}
