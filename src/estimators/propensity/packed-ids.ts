import { hash64 } from '../../events/hash.js';

/** Ids as arrays that a thread can hand over, with their numbers. */
export interface PackedIds {
  /** `hash64` of each, ascending by the high half and then by the low one. */
  readonly high: Int32Array;
  readonly low: Int32Array;
  /** In that order: the number, and where its UTF-8 lies in `bytes`. */
  readonly number: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly bytes: Uint8Array;
}

/**
 * Packs ids, each with its place as its number; of equal ones the last counts. O(n log n)
 *
 * @example
 * const packed = packIds(['b', 'a']);
 * numberOf(packed, 'a'); // 1
 * numberOf(packed, 'c'); // -1
 */
export function packIds(ids: readonly string[]): PackedIds {
  const encoder = new TextEncoder();
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const halves = new Int32Array(2);
  const all = Array.from(numbers, ([id, number]) => {
    const utf8 = encoder.encode(id);
    hash64(utf8, 0, utf8.length, halves);
    return { utf8, number, high: halves[0], low: halves[1] };
  });
  all.sort((a, b) => a.high - b.high || a.low - b.low);
  const bytes = new Uint8Array(all.reduce((sum, { utf8 }) => sum + utf8.length, 0));
  const [from, to] = [new Int32Array(all.length), new Int32Array(all.length)];
  let at = 0;
  for (const [i, { utf8 }] of all.entries()) {
    bytes.set(utf8, at);
    from[i] = at;
    at += utf8.length;
    to[i] = at;
  }
  return {
    high: Int32Array.from(all, ({ high }) => high),
    low: Int32Array.from(all, ({ low }) => low),
    number: Int32Array.from(all, ({ number }) => number),
    ...{ from, to, bytes },
  };
}

const ENCODER = new TextEncoder();
const HALVES = new Int32Array(2);
/** Of UTF-8 for a unit of UTF-16. */
const MOST_BYTES = 3;
let room = new Uint8Array(512);

/** The number of an id; −1 for one that is not there. O(log n), even if someone chose the ids to be slow. */
export function numberOf(packed: PackedIds, id: string): number {
  if (room.length < MOST_BYTES * id.length) room = new Uint8Array(2 * MOST_BYTES * id.length);
  const { written } = ENCODER.encodeInto(id, room);
  hash64(room, 0, written, HALVES);
  const { high, low } = packed;
  const [ownHigh, ownLow] = HALVES;
  let from = 0;
  let to = high.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const isBefore = high[middle] < ownHigh || (high[middle] === ownHigh && low[middle] < ownLow);
    if (isBefore) from = middle + 1;
    else to = middle;
  }
  // Two ids of one hash lie side by side.
  for (; high[from] === ownHigh && low[from] === ownLow; from++) {
    if (isSame(packed, from, written)) return packed.number[from];
  }
  return -1;
}

function isSame({ bytes, from, to }: PackedIds, at: number, length: number): boolean {
  if (to[at] - from[at] !== length) return false;
  for (let b = 0; b < length; b++) if (bytes[from[at] + b] !== room[b]) return false;
  return true;
}
