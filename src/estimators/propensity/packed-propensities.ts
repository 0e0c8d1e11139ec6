import { hash64 } from '../../events/hash.js';
import type { LogisticFile, NaiveBayesFile, PropensityModel } from './propensity-file.js';

/** Ids with their indices, in typed arrays that can be transferred to a thread. */
interface PackedIds {
  /** High half of `hash64` of each id; ids are ordered by the high half, then by the low one. */
  readonly high: Int32Array;
  /** Low half of the hash. */
  readonly low: Int32Array;
  /** Index of each id, as given to `packIds`. */
  readonly number: Int32Array;
  /** Start and end of the id's UTF-8 in `bytes`. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly bytes: Uint8Array;
}

/**
 * Pack ids; an id's index is its position, and the last of equal ids counts. O(n log n)
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
    return {
      utf8,
      number,
      high: halves[0],
      low: halves[1],
    };
  });
  all.sort((a, b) => a.high - b.high || a.low - b.low);
  const bytes = new Uint8Array(all.reduce((sum, { utf8 }) => sum + utf8.length, 0));
  const from = new Int32Array(all.length);
  const to = new Int32Array(all.length);
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
    from,
    to,
    bytes,
  };
}

const ENCODER = new TextEncoder();
const HALVES = new Int32Array(2);
/** Most bytes of UTF-8 per UTF-16 unit. */
const MOST_BYTES = 3;
let room = new Uint8Array(512);

/** Index of an id; −1 if it is unknown. O(log n), even for adversarial ids. */
export function numberOf(packed: PackedIds, id: string): number {
  if (room.length < MOST_BYTES * id.length) {
    room = new Uint8Array(2 * MOST_BYTES * id.length);
  }
  const { written } = ENCODER.encodeInto(id, room);
  hash64(room, 0, written, HALVES);
  const { high, low } = packed;
  const [ownHigh, ownLow] = HALVES;
  let from = 0;
  let to = high.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const isBefore = high[middle] < ownHigh || (high[middle] === ownHigh && low[middle] < ownLow);
    if (isBefore) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  // Ids with the same hash are adjacent.
  for (; high[from] === ownHigh && low[from] === ownLow; from++) {
    if (isSame(packed, from, written)) return packed.number[from];
  }
  return -1;
}

function isSame({ bytes, from, to }: PackedIds, at: number, length: number): boolean {
  if (to[at] - from[at] !== length) return false;
  for (let b = 0; b < length; b++) {
    if (bytes[from[at] + b] !== room[b]) return false;
  }
  return true;
}

/**
 * Learned propensities in a form for lookups: the file itself for naive Bayes, and arrays for a
 * logistic regression.
 */
export type PackedPropensities = NaiveBayesFile | PackedLogistic;

/** P = σ(base_u + Σ_k features_ik taste_uk + offset_i), matrices in row-major order. */
export interface PackedLogistic {
  readonly kind: 'lr';
  readonly users: PackedIds;
  readonly items: PackedIds;
  /** c + γ_u by user. */
  readonly base: Float64Array;
  /** Wᵀ x_u by user. */
  readonly taste: Float64Array;
  /** Row length of `taste` and of `features`. */
  readonly width: number;
  /** z_i by item. */
  readonly features: Float64Array;
  /** β, by item. */
  readonly offset: Float64Array;
  /** Σ_u P_ui by item; undefined if the file lacks it. */
  readonly itemSums?: Float64Array;
}

/**
 * Pack a learned model, so that one thread can read the file and another one look up.
 *
 * O(users · features of both sides + items · features).
 *
 * @example
 * packPropensities({ kind: 'nb', smoothing: 1, values: [] }).kind; // 'nb'
 */
export function packPropensities(model: PropensityModel): PackedPropensities {
  if (model.kind === 'nb') return model;
  const { users, items, weights, intercept, itemSums } = model;
  const width = weights[0]?.length ?? 0;
  const features = new Float64Array(items.ids.length * width);
  items.features.forEach((row, item) => {
    features.set(row.slice(0, width), item * width);
  });
  return {
    kind: 'lr',
    users: packIds(users.ids),
    items: packIds(items.ids),
    width,
    features,
    base: Float64Array.from(users.ids, (_, u) => intercept + (users.offsets?.[u] ?? 0)),
    taste: tastes(model, width),
    offset: Float64Array.from(items.ids, (_, item) => items.offsets?.[item] ?? 0),
    ...(itemSums && { itemSums: Float64Array.from(itemSums) }),
  };
}

function tastes({ users, weights }: LogisticFile, width: number): Float64Array {
  const taste = new Float64Array(users.ids.length * width);
  users.features.forEach((row, user) => {
    const at = user * width;
    row.forEach((x, a) => {
      for (let k = 0; k < width; k++) {
        taste[at + k] += x * weights[a][k];
      }
    });
  });
  return taste;
}
