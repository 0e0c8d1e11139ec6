import { enlarged } from '../../events/column-table.js';
import { LATE, POSITIVE, RANDOMIZED, SHOWN } from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import {
  type Dictionaries,
  type EventDictionaries,
  type EventPlaces,
  markIds,
  type Places,
} from '../ids/dictionaries.js';
import {
  countsRandomizedApart,
  isCapped,
  judgedBy,
  leavesOut,
  type PopularityRule,
} from './popularity-rule.js';
import type { SparseCounts } from './sparse-counts.js';

/**
 * Initial capacity of a table. It is small, since each model in a pane has a table, and some model
 * names occur only once.
 */
const FIRST_CAPACITY = 4;
const MAX_LOAD = 0.7;
/** Words of a slot: the id plus one (0 for an empty slot), and the count. */
const SLOT = 2;

/**
 * Counts occurrences of dense ids in memory proportional to the distinct ids, 12 to 23 bytes each.
 * It is slower than a `Tally`, but many can exist at a time.
 *
 * @example
 * const tally = new IdTally();
 * tally.add(7);
 * tally.counts(); // { ids: [7], counts: [1] }
 */
export class IdTally {
  #slots = new Int32Array(FIRST_CAPACITY * SLOT);
  #mask = FIRST_CAPACITY - 1;
  #used = 0;

  /** Number of distinct ids. */
  get size(): number {
    return this.#used;
  }

  add(id: number, count = 1): void {
    const slot = this.#slotOf(this.#slots, id);
    this.#slots[slot + 1] += count;
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = id + 1;
    if (++this.#used > (this.#mask + 1) * MAX_LOAD) {
      this.#grow();
    }
  }

  addAll({ ids, counts }: SparseCounts): void {
    for (let j = 0; j < ids.length; j++) {
      this.add(ids[j], counts[j]);
    }
  }

  /** Copy of the counts, unordered. */
  counts(): SparseCounts {
    const ids = new Int32Array(this.#used);
    const counts = new Int32Array(this.#used);
    let at = 0;
    for (let slot = 0; slot < this.#slots.length; slot += SLOT) {
      if (this.#slots[slot] === 0) continue;
      ids[at] = this.#slots[slot] - 1;
      counts[at++] = this.#slots[slot + 1];
    }
    return { ids, counts };
  }

  #slotOf(slots: Int32Array, id: number): number {
    let at = Math.imul(id, 0x9e3779b1) >>> 7;
    for (;;) {
      const slot = (at & this.#mask) * SLOT;
      if (slots[slot] === 0 || slots[slot] === id + 1) return slot;
      at++;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from] === 0) continue;
      const to = this.#slotOf(this.#slots, old[from] - 1);
      this.#slots[to] = old[from];
      this.#slots[to + 1] = old[from + 1];
    }
  }
}

/** User and item of interactions, in the order of arrival; 8 bytes per interaction. */
class UserItems {
  #user = new Int32Array(64);
  #item = new Int32Array(64);
  #length = 0;

  add(user: number, item: number): void {
    if (this.#length === this.#user.length) {
      this.#grow();
    }
    this.#user[this.#length] = user;
    this.#item[this.#length++] = item;
  }

  forEach(visit: (user: number, item: number) => void): void {
    for (let at = 0; at < this.#length; at++) {
      visit(this.#user[at], this.#item[at]);
    }
  }

  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* markIds(flags, this.#user, this.#length);
  }

  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* markIds(flags, this.#item, this.#length);
  }

  /** Capture the current pairs for writing later. Columns are only appended to. */
  capture(): (to: BinaryWriter, ids: Dictionaries) => Generator<void, void> {
    const user = this.#user;
    const item = this.#item;
    const length = this.#length;
    return function* write(to, { items }) {
      to.column(user, length);
      yield* items.write(to, item, length);
    };
  }

  /** Read stored pairs, before anything is added. */
  read(from: BinaryReader, { items }: Places): void {
    this.#user = from.int32();
    this.#item = items.column(from);
    this.#length = this.#user.length;
  }

  #grow(): void {
    const capacity = Math.max(64, 2 * this.#user.length);
    this.#user = enlarged(this.#user, capacity);
    this.#item = enlarged(this.#item, capacity);
  }
}

/** Counts of a closing pane, to which the counts of users outside the sample are added. */
interface PaneTotals {
  readonly positives: Total;
  readonly interactions: Total;
  readonly randomized: Total;
  readonly randomizedPositives: Total;
  readonly leftOut: Total;
  readonly listed: Total;
  readonly users: Total;
  readonly randomizedUsers: Total;
  exposures(model: number): Total;
}

interface Total {
  addAll(counts: SparseCounts): void;
}

/** Number of lists of one model that were on time, and number of its late lists. */
export interface CountedLists {
  readonly onTime: number;
  readonly late: number;
}

const NO_LISTS: CountedLists = {
  onTime: 0,
  late: 0,
};
const OF_ITEMS = ['positives', 'interactions', 'randomized', 'listed'] as const;
const OF_USERS = ['users', 'randomizedUsers'] as const;
const POSITIVES: PopularityRule = { of: 'positive' };

/** Names of the item counts that are kept under a popularity rule. */
function ofItemsBy(rule: PopularityRule) {
  const apart = countsRandomizedApart(rule) ? (['randomizedPositives'] as const) : [];
  return [...OF_ITEMS, ...apart, ...(leavesOut(rule) ? (['leftOut'] as const) : [])];
}

/**
 * Counts of the events in an open pane whose users are outside the sample. With them, popularity
 * and the numbers of users' interactions cover all traffic. Lists and rows of these events are not
 * stored.
 *
 * Since the lists are not stored, an interaction is judged by its own flags only. An interaction
 * with the id of a randomised list is randomised only if the event itself says so. An interaction
 * with the id of a hidden list counts as driven by recommendations.
 */
export class SampledOut {
  /** Number of interactions. */
  interactions = 0;
  /** Number of lists, including late ones. */
  exposures = 0;
  readonly #tallies = {
    positives: new IdTally(),
    interactions: new IdTally(),
    randomized: new IdTally(),
    randomizedPositives: new IdTally(),
    leftOut: new IdTally(),
    listed: new IdTally(),
    users: new IdTally(),
    randomizedUsers: new IdTally(),
  };
  /** Number of exposures of each item, by model. */
  readonly #exposures = new Map<number, IdTally>();
  /**
   * Numbers of lists by model name. Late lists are counted separately, since they would not have
   * been kept in any case.
   */
  readonly #lists = new Map<number, CountedLists>();
  readonly #rule: PopularityRule;
  readonly #ofItems: ReturnType<typeof ofItemsBy>;
  /**
   * Interactions that count towards popularity if their users are within the cap. Undefined if
   * there is no cap.
   */
  readonly #asking: UserItems | undefined;

  /** @param rule popularity rule. */
  constructor(rule: PopularityRule = POSITIVES) {
    this.#rule = rule;
    this.#ofItems = ofItemsBy(rule);
    this.#asking = isCapped(rule) ? new UserItems() : undefined;
  }

  get lists(): ReadonlyMap<number, CountedLists> {
    return this.#lists;
  }

  /**
   * Replace names of models by numbers, and drop the lists of models whose number is −1.
   *
   * @returns number of late lists dropped
   */
  place(numberOf: (name: number) => number): number {
    const exposures = [...this.#exposures];
    this.#exposures.clear();
    for (const [name, tally] of exposures) {
      const number = numberOf(name);
      if (number >= 0) {
        this.#exposures.set(number, tally);
      }
    }
    let late = 0;
    const lists = [...this.#lists];
    this.#lists.clear();
    for (const [name, own] of lists) {
      const number = numberOf(name);
      if (number >= 0) {
        this.#lists.set(number, own);
      } else {
        late += own.late;
        this.exposures -= own.onTime + own.late;
      }
    }
    return late;
  }

  addInteraction(user: number, item: number, flags: number): void {
    const { positives, interactions, randomized, randomizedPositives, users, randomizedUsers } =
      this.#tallies;
    this.interactions++;
    interactions.add(item);
    users.add(user);
    if ((flags & POSITIVE) !== 0) {
      positives.add(item);
    }
    if (leavesOut(this.#rule)) {
      this.#judge(user, item, flags);
    }
    if ((flags & RANDOMIZED) === 0) return;
    randomized.add(item);
    randomizedUsers.add(user);
    if ((flags & POSITIVE) !== 0) {
      randomizedPositives.add(item);
    }
  }

  /** Count a list with the items items[from] to items[to − 1]. */
  addExposure(model: number, flags: number, items: Int32Array, from: number, to: number): void {
    this.exposures++;
    const { onTime, late } = this.#lists.get(model) ?? NO_LISTS;
    const isLate = (flags & LATE) === 0 ? 0 : 1;
    this.#lists.set(model, {
      onTime: onTime + 1 - isLate,
      late: late + isLate,
    });
    const counts = (flags & (SHOWN | RANDOMIZED)) === SHOWN;
    const tally = counts ? this.#exposuresOf(model) : this.#tallies.listed;
    for (let at = from; at < to; at++) {
      tally.add(items[at]);
    }
  }

  /**
   * Add the counts to those of the closing pane.
   *
   * @param admit whether one more interaction of the user counts towards popularity; it is called
   * for each interaction in order of arrival.
   */
  addTo(totals: PaneTotals & { overUserCap: number }, admit: (user: number) => boolean): void {
    for (const kind of [...this.#ofItems, ...OF_USERS]) {
      totals[kind].addAll(this.#tallies[kind].counts());
    }
    for (const [model, tally] of this.#exposures) {
      totals.exposures(model).addAll(tally.counts());
    }
    const over = new IdTally();
    this.#asking?.forEach((user, item) => {
      if (admit(user)) return;
      over.add(item);
      totals.overUserCap++;
    });
    totals.leftOut.addAll(over.counts());
  }

  /** Set the flags of the counted users. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    for (const kind of OF_USERS) {
      yield* markIds(flags, this.#tallies[kind].counts().ids);
    }
    if (this.#asking !== undefined) {
      yield* this.#asking.markUsers(flags);
    }
  }

  /** Set the flags of the counted items. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const kind of this.#ofItems) {
      yield* markIds(flags, this.#tallies[kind].counts().ids);
    }
    for (const tally of this.#exposures.values()) {
      yield* markIds(flags, tally.counts().ids);
    }
    if (this.#asking !== undefined) {
      yield* this.#asking.markItems(flags);
    }
  }

  /** Capture the current counts for writing later. */
  capture(): (to: BinaryWriter, ids: EventDictionaries) => Generator<void, void> {
    const { interactions, exposures } = this;
    const ofItems = this.#ofItems.map((kind) => this.#tallies[kind].counts());
    const ofUsers = OF_USERS.map((kind) => this.#tallies[kind].counts());
    const lists = [...this.#lists];
    const asking = this.#asking?.capture();
    const shown = [...this.#exposures].map(([model, tally]) => [model, tally.counts()] as const);
    return function* write(to, ids) {
      const { items, names } = ids;
      to.number(interactions);
      to.number(exposures);
      to.column(Int32Array.from(lists, ([name]) => names.place(name)));
      to.column(Int32Array.from(lists, ([, { onTime }]) => onTime));
      to.column(Int32Array.from(lists, ([, { late }]) => late));
      for (const { ids, counts } of ofItems) {
        yield* items.write(to, ids);
        to.column(counts);
      }
      for (const { ids, counts } of ofUsers) {
        to.column(ids);
        to.column(counts);
      }
      to.column(Int32Array.from(shown, ([name]) => names.place(name)));
      for (const [, { ids, counts }] of shown) {
        yield* items.write(to, ids);
        to.column(counts);
      }
      if (asking !== undefined) {
        yield* asking(to, ids);
      }
      yield;
    };
  }

  /** Read stored counts. @param rule the popularity rule at the time of writing. */
  static read(from: BinaryReader, places: EventPlaces, rule?: PopularityRule): SampledOut {
    const { items, names } = places;
    const sampledOut = new SampledOut(rule);
    sampledOut.interactions = from.number();
    sampledOut.exposures = from.number();
    const listed = from.int32();
    // Older states lack the numbers of lists.
    const [onTime, late] = places.isWithoutModelPlaces ? [] : [from.int32(), from.int32()];
    listed.forEach((place, n) => {
      sampledOut.#lists.set(names.id(place), {
        onTime: onTime?.[n] ?? 1,
        late: late?.[n] ?? 0,
      });
    });
    const ofItems = () => ({
      ids: items.column(from),
      counts: from.int32(),
    });
    for (const kind of sampledOut.#ofItems) {
      sampledOut.#tallies[kind].addAll(ofItems());
    }
    for (const kind of OF_USERS) {
      sampledOut.#tallies[kind].addAll({
        ids: from.int32(),
        counts: from.int32(),
      });
    }
    for (const place of from.int32()) {
      sampledOut.#exposuresOf(names.id(place)).addAll(ofItems());
    }
    sampledOut.#asking?.read(from, places);
    return sampledOut;
  }

  #judge(user: number, item: number, flags: number): void {
    const judged = judgedBy(this.#rule, flags);
    if (judged === 'left out') {
      this.#tallies.leftOut.add(item);
    } else if (judged === 'counts') {
      this.#asking?.add(user, item);
    }
  }

  #exposuresOf(model: number): IdTally {
    let tally = this.#exposures.get(model);
    if (tally === undefined) {
      tally = new IdTally();
      this.#exposures.set(model, tally);
    }
    return tally;
  }
}
