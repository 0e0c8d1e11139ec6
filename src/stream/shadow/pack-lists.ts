import { hash64 } from '../../events/ids/hash.js';
import type { LearnedLists } from './learned-lists.js';

/** A list as a file holds it. */
export interface NamedList {
  readonly items: readonly string[];
  readonly scores?: readonly number[] | undefined;
  /** How many items it was ranked among. */
  readonly candidates: number;
}

export interface PackOptions {
  readonly learnedTo: number;
  readonly level: number;
  /** The list for users whom the baseline did not know. */
  readonly popular: NamedList;
  /** Whether scores are predicted ratings. */
  readonly predictsRatings: boolean;
}

/**
 * Packs lists by user into arrays that a thread can hand over. Of two lists of a user the later one
 * counts. O(n log n)
 *
 * @example
 * const popular = { items: ['b', 'a'], candidates: 2 };
 * const users = [['u1', { items: ['a'], candidates: 1 }]];
 * const lists = packLists(users, { learnedTo: 0, level: 0, popular, predictsRatings: false });
 * [...lists.listStart]; // [0, 1, 3]
 */
export function packLists(
  users: Iterable<readonly [user: string, list: NamedList]>,
  { learnedTo, level, popular, predictsRatings }: PackOptions,
): LearnedLists {
  const byUser = new Map(users);
  const encoder = new TextEncoder();
  const halves = new Int32Array(2);
  const hashed = [...byUser].map(([user, list]) => {
    const bytes = encoder.encode(user);
    hash64(bytes, 0, bytes.length, halves);
    return { high: halves[0], low: halves[1], list };
  });
  hashed.sort((a, b) => a.high - b.high || a.low - b.low);
  const all = [...hashed.map(({ list }) => list), popular];
  const numbers = new Map<string, number>();
  const entries = all.reduce((sum, { items }) => sum + items.length, 0);
  const listStart = new Int32Array(all.length + 1);
  const items = new Int32Array(entries);
  const scores = predictsRatings ? new Float32Array(entries) : undefined;
  let at = 0;
  for (const [l, list] of all.entries()) {
    for (const [place, item] of list.items.entries()) {
      const number = numbers.get(item) ?? numbers.size;
      numbers.set(item, number);
      items[at] = number;
      if (scores !== undefined) scores[at] = list.scores?.[place] ?? Number.NaN;
      at++;
    }
    listStart[l + 1] = at;
  }
  return {
    ...{ learnedTo, level, listStart, items },
    userHigh: Int32Array.from(hashed, ({ high }) => high),
    userLow: Int32Array.from(hashed, ({ low }) => low),
    ...(scores && { scores }),
    candidates: Int32Array.from(all, ({ candidates }) => candidates),
    ...packedIds([...numbers.keys()].map((id) => encoder.encode(id))),
  };
}

function packedIds(ids: readonly Uint8Array[]): Pick<LearnedLists, 'itemBytes' | 'itemStart'> {
  const itemStart = new Int32Array(ids.length + 1);
  for (const [n, { length }] of ids.entries()) itemStart[n + 1] = itemStart[n] + length;
  const itemBytes = new Uint8Array(itemStart[ids.length]);
  for (const [n, bytes] of ids.entries()) itemBytes.set(bytes, itemStart[n]);
  return { itemBytes, itemStart };
}
