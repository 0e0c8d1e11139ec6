import { LATE, POSITIVE, RANDOMIZED, SHOWN } from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import { markIds } from '../ids/mark.js';

import { IdTally } from './id-tally.js';
import {
  countsRandomizedApart,
  isCapped,
  judgedBy,
  leavesOut,
  type PopularityRule,
} from './popularity-rule.js';
import type { SparseCounts } from './sparse-counts.js';
import { UserItems } from './user-items.js';

/** What a closing pane counts into. */
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

const OF_ITEMS = ['positives', 'interactions', 'randomized', 'listed'] as const;
const OF_USERS = ['users', 'randomizedUsers'] as const;
const POSITIVES: PopularityRule = { of: 'positive' };

/** What is counted of items under a rule. */
function ofItemsBy(rule: PopularityRule) {
  const apart = countsRandomizedApart(rule) ? (['randomizedPositives'] as const) : [];
  return [...OF_ITEMS, ...apart, ...(leavesOut(rule) ? (['leftOut'] as const) : [])];
}

/**
 * What is left of the events of an open pane whose users are outside the sample: the counts that a
 * closing pane makes of every event, so that popularity and users' interactions are those of all
 * traffic. Without their order in time these events get no list and no row.
 *
 * Of an interaction that only the list it names shows to be randomised, or to be caused by nothing
 * as it was not shown, nobody knows it here.
 */
export class LetGo {
  /** How many events. */
  interactions = 0;
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
  /** By model. */
  readonly #exposures = new Map<number, IdTally>();
  /** Models of the lists that would have been kept: those that are late would not. */
  readonly #models = new Set<number>();
  readonly #rule: PopularityRule;
  readonly #ofItems: ReturnType<typeof ofItemsBy>;
  /** Interactions that count if their users are within the cap; only there where there is one. */
  readonly #asking: UserItems | undefined;

  /** @param rule by which interactions make items popular. */
  constructor(rule: PopularityRule = POSITIVES) {
    this.#rule = rule;
    this.#ofItems = ofItemsBy(rule);
    this.#asking = isCapped(rule) ? new UserItems() : undefined;
  }

  /** Models that had a list. */
  get models(): ReadonlySet<number> {
    return this.#models;
  }

  addInteraction(user: number, item: number, flags: number): void {
    const { positives, interactions, randomized, randomizedPositives, users, randomizedUsers } =
      this.#tallies;
    this.interactions++;
    interactions.add(item);
    users.add(user);
    if ((flags & POSITIVE) !== 0) positives.add(item);
    if (leavesOut(this.#rule)) this.#judge(user, item, flags);
    if ((flags & RANDOMIZED) === 0) return;
    randomized.add(item);
    randomizedUsers.add(user);
    if ((flags & POSITIVE) !== 0) randomizedPositives.add(item);
  }

  /** The list is items[from] .. items[to − 1]. */
  addExposure(model: number, flags: number, items: Int32Array, from: number, to: number): void {
    this.exposures++;
    if ((flags & LATE) === 0) this.#models.add(model);
    const counts = (flags & (SHOWN | RANDOMIZED)) === SHOWN;
    const tally = counts ? this.#exposuresOf(model) : this.#tallies.listed;
    for (let at = from; at < to; at++) tally.add(items[at]);
  }

  /** @param admit whether one more interaction of the user counts; asked for each, in their order. */
  addTo(totals: PaneTotals & { overUserCap: number }, admit: (user: number) => boolean): void {
    for (const kind of [...this.#ofItems, ...OF_USERS])
      totals[kind].addAll(this.#tallies[kind].counts());
    for (const [model, tally] of this.#exposures) totals.exposures(model).addAll(tally.counts());
    const over = new IdTally();
    this.#asking?.forEach((user, item) => {
      if (admit(user)) return;
      over.add(item);
      totals.overUserCap++;
    });
    totals.leftOut.addAll(over.counts());
  }

  /** Sets the flags of the users that are counted. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    for (const kind of OF_USERS) yield* markIds(flags, this.#tallies[kind].counts().ids);
    if (this.#asking !== undefined) yield* this.#asking.markUsers(flags);
  }

  /** Sets the flags of the items that are counted. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const kind of this.#ofItems) yield* markIds(flags, this.#tallies[kind].counts().ids);
    for (const tally of this.#exposures.values()) yield* markIds(flags, tally.counts().ids);
    if (this.#asking !== undefined) yield* this.#asking.markItems(flags);
  }

  /** The counts as they are now, to be written later. */
  capture(): (to: BinaryWriter, ids: Dictionaries) => Generator<void, void> {
    const { interactions, exposures } = this;
    const ofItems = this.#ofItems.map((kind) => this.#tallies[kind].counts());
    const ofUsers = OF_USERS.map((kind) => this.#tallies[kind].counts());
    const listed = [...this.#models];
    const asking = this.#asking?.capture();
    const shown = [...this.#exposures].map(([model, tally]) => [model, tally.counts()] as const);
    return function* write(to, { items, models }) {
      to.number(interactions);
      to.number(exposures);
      to.column(Int32Array.from(listed, (model) => models.place(model)));
      for (const { ids, counts } of ofItems) {
        yield* items.write(to, ids);
        to.column(counts);
      }
      for (const { ids, counts } of ofUsers) {
        to.column(ids);
        to.column(counts);
      }
      to.column(Int32Array.from(shown, ([model]) => models.place(model)));
      for (const [, { ids, counts }] of shown) {
        yield* items.write(to, ids);
        to.column(counts);
      }
      if (asking !== undefined) yield* asking(to, { items, models });
      yield;
    };
  }

  /** @param rule the one that it was made with. */
  static read(from: BinaryReader, { items, models }: Places, rule?: PopularityRule): LetGo {
    const letGo = new LetGo(rule);
    letGo.interactions = from.number();
    letGo.exposures = from.number();
    for (const place of from.int32()) letGo.#models.add(models.id(place));
    const ofItems = () => ({ ids: items.column(from), counts: from.int32() });
    for (const kind of letGo.#ofItems) letGo.#tallies[kind].addAll(ofItems());
    for (const kind of OF_USERS) {
      letGo.#tallies[kind].addAll({ ids: from.int32(), counts: from.int32() });
    }
    for (const place of from.int32()) letGo.#exposuresOf(models.id(place)).addAll(ofItems());
    letGo.#asking?.read(from, { items, models });
    return letGo;
  }

  #judge(user: number, item: number, flags: number): void {
    const judged = judgedBy(this.#rule, flags);
    if (judged === 'left out') this.#tallies.leftOut.add(item);
    else if (judged === 'counts') this.#asking?.add(user, item);
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
