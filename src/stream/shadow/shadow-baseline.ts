import { ExposureColumns, HAS_REQUEST, HAS_SCORES, REQUEST } from '../../events/columns.js';
import { hash64, hashBytes } from '../../events/ids/hash.js';
import type { Interner } from '../../state/ids/interner.js';
import { depthOf } from '../../state/ids/user-depths.js';
import { type LearnedLists, listOfOthers, listOfUser } from './learned-lists.js';

/**
 * What came beside the lists that users were given while there was a learned baseline: the user's
 * own list, that of popular items for a user whom it does not know, or none, and why.
 */
export const SHADOW_COUNTS = ['own', 'popular', 'before', 'sampledOut', 'itemsFull'] as const;
export type ShadowCount = (typeof SHADOW_COUNTS)[number];

/** Ids that the columns are of. */
export interface ShadowIds {
  readonly items: Interner;
  readonly models: Interner;
  readonly users: Interner;
}

/** Lists with the newest event time before each: they are late where what they come beside is. */
interface TimedLists {
  readonly lists: ExposureColumns;
  asOf: Float64Array;
}

/** Lists that are to come beside others: users' own ones, and the list of popular items. */
export interface ListsBeside {
  readonly own: TimedLists;
  readonly popular: TimedLists;
}

const noLists = (): TimedLists => ({ lists: new ExposureColumns(), asOf: new Float64Array(0) });

/** Of a list's id: what it was made beside. */
const BESIDE_REQUEST = 1;
const BESIDE_LIST = 2;
const ID_BYTES = 17;
const LONGEST_ID = 512;

/**
 * The learned baseline as a model of the stream: beside each list that a user is given there is one
 * of the baseline's, not shown, of the same time and request. What it is compared by is then that of
 * any other model.
 *
 * No list is of a time before `learnedTo`, and an interaction is ranked in lists of its time or
 * before alone. So the baseline is never evaluated on what it learned from, whenever it was learned
 * and whatever is read again.
 *
 * There is one list for each request, or without requests for each user and millisecond: its id
 * follows from these, and the second one is a duplicate like any other.
 */
export class ShadowBaseline {
  readonly name: string;
  /** A model of the log has its name: then there are no lists of the baseline any more. */
  isNameTaken = false;
  readonly counts: Record<ShadowCount, number> = {
    ...{ own: 0, popular: 0, before: 0, sampledOut: 0, itemsFull: 0 },
  };
  readonly #name: Uint8Array;
  readonly #hasScores: boolean;
  readonly #onNameTaken: () => void;
  readonly #beside: ListsBeside = { own: noLists(), popular: noLists() };
  #user = new Uint8Array(LONGEST_ID);
  readonly #id = new DataView(new ArrayBuffer(ID_BYTES));
  readonly #halves = new Int32Array(2);
  #lists: LearnedLists | undefined;

  /**
   * @param hasScores whether ratings are asked for
   * @param onNameTaken called once if a model of the log has the baseline's name
   */
  constructor(name: string, hasScores: boolean, onNameTaken: () => void = () => {}) {
    this.name = name;
    this.#name = new TextEncoder().encode(name);
    this.#hasScores = hasScores;
    this.#onNameTaken = onNameTaken;
  }

  /** The lists in use; undefined before the first. */
  get lists(): LearnedLists | undefined {
    return this.#lists;
  }

  /** From now on these lists come beside others. O(1) */
  use(lists: LearnedLists): void {
    this.#lists = lists;
  }

  /**
   * The baseline's lists beside these; gone with the next call. Undefined without any.
   *
   * @param newest event time of their topic-partition before them, ms
   */
  beside(given: ExposureColumns, newest: number, ids: ShadowIds): ListsBeside | undefined {
    const lists = this.#lists;
    if (lists === undefined || given.length === 0 || this.isNameTaken) return undefined;
    const model = this.#modelIn(given, ids.models);
    if (model === undefined) return undefined;
    const { own, popular } = this.#beside;
    for (const timed of [own, popular]) {
      timed.lists.clear();
      if (timed.asOf.length < given.length) timed.asOf = new Float64Array(given.length);
    }
    let before = newest;
    for (let r = 0; r < given.length; r++) {
      const asOf = before;
      before = Math.max(before, given.ts[r]);
      if (given.ts[r] < lists.learnedTo) {
        this.counts.before++;
        continue;
      }
      const length = this.#readUser(ids.users, given.user[r]);
      if (lists.level > 0 && depthOf(this.#user, length) < lists.level) {
        this.counts.sampledOut++;
        continue;
      }
      hash64(this.#user, 0, length, this.#halves);
      const [high, low] = this.#halves;
      const found = listOfUser(lists, high, low);
      const into = found < 0 ? popular : own;
      const list = found < 0 ? listOfOthers(lists) : found;
      if (!this.#add(into.lists, given, r, lists, list, ids.items)) {
        // As an event that names an item which there is no room for.
        this.counts.itemsFull++;
        continue;
      }
      const at = into.lists.length++;
      into.asOf[at] = asOf;
      into.lists.model[at] = model;
      this.#identify(into.lists, at, given, r, high, low);
    }
    return this.#beside;
  }

  /** The number of its name; undefined where a model of the log has it. */
  #modelIn({ model, length }: ExposureColumns, models: Interner): number | undefined {
    const number = models.intern(this.#name, 0, this.#name.length, hashOf(this.#name));
    if (number >= 0 && model.subarray(0, length).includes(number)) {
      this.isNameTaken = true;
      this.#onNameTaken();
    }
    return this.isNameTaken ? undefined : number;
  }

  #readUser(users: Interner, user: number): number {
    const length = users.byteLengthOf(user);
    if (length > this.#user.length) this.#user = new Uint8Array(length);
    users.copyTo(user, this.#user, 0);
    return length;
  }

  /** @returns false where an item is new and there is no room for it */
  #add(
    into: ExposureColumns,
    given: ExposureColumns,
    r: number,
    lists: LearnedLists,
    list: number,
    items: Interner,
  ): boolean {
    const { listStart, itemBytes, itemStart, scores } = lists;
    const [first, end] = [listStart[list], listStart[list + 1]];
    into.reserve(end - first);
    const at = into.length;
    const start = into.listStart[at];
    for (let l = first; l < end; l++) {
      const item = lists.items[l];
      const [from, to] = [itemStart[item], itemStart[item + 1]];
      const number = items.intern(itemBytes, from, to, hashBytes(itemBytes, from, to));
      if (number < 0) return false;
      into.items[start + l - first] = number;
    }
    into.listStart[at + 1] = start + end - first;
    let flags = 0;
    if (this.#hasScores && scores !== undefined && list !== listOfOthers(lists)) {
      into.reserveScores();
      into.scores.set(scores.subarray(first, end), start);
      flags |= HAS_SCORES;
    }
    if ((given.flags[r] & HAS_REQUEST) !== 0) {
      copyRequest(given, r, into, at);
      flags |= HAS_REQUEST;
    }
    into.flags[at] = flags;
    into.ts[at] = given.ts[r];
    into.user[at] = given.user[r];
    into.candidates[at] = lists.candidates[list];
    return true;
  }

  #identify(
    into: ExposureColumns,
    at: number,
    given: ExposureColumns,
    r: number,
    high: number,
    low: number,
  ): void {
    const id = this.#id;
    if ((given.flags[r] & HAS_REQUEST) !== 0) {
      id.setUint8(0, BESIDE_REQUEST);
      id.setInt32(1, given.requests.requestHigh[r]);
      id.setInt32(5, given.requests.requestLow[r]);
      id.setFloat64(9, 0);
    } else {
      id.setUint8(0, BESIDE_LIST);
      id.setInt32(1, high);
      id.setInt32(5, low);
      id.setFloat64(9, given.ts[r]);
    }
    hash64(new Uint8Array(id.buffer), 0, ID_BYTES, this.#halves);
    into.idHigh[at] = this.#halves[0];
    into.idLow[at] = this.#halves[1];
  }
}

/** It could not have been served: it has no share. */
function copyRequest(
  { requests: from }: ExposureColumns,
  r: number,
  into: ExposureColumns,
  at: number,
): void {
  into.reserveRequest();
  for (const column of Object.keys(REQUEST) as (keyof typeof REQUEST)[]) {
    into.requests[column][at] = from[column][r];
  }
  into.requests.share[at] = Number.NaN;
}

function hashOf(bytes: Uint8Array): number {
  return hashBytes(bytes, 0, bytes.length);
}
