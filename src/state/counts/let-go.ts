import { LATE, POSITIVE, RANDOMIZED, SHOWN } from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import { markIds } from '../ids/mark.js';

import { IdTally } from './id-tally.js';
import type { SparseCounts } from './sparse-counts.js';

/** What a closing pane counts into. */
interface PaneTotals {
  readonly positives: Total;
  readonly interactions: Total;
  readonly randomized: Total;
  readonly randomizedPositives: Total;
  readonly listed: Total;
  readonly users: Total;
  readonly randomizedUsers: Total;
  exposures(model: number): Total;
}

interface Total {
  addAll(counts: SparseCounts): void;
}

const OF_ITEMS = ['positives', 'interactions', 'randomized', 'listed'] as const;
const WITH_APART = [...OF_ITEMS, 'randomizedPositives'] as const;
const OF_USERS = ['users', 'randomizedUsers'] as const;

/**
 * What is left of the events of an open pane whose users are outside the sample: the counts that a
 * closing pane makes of every event, so that popularity and users' interactions are those of all
 * traffic. Without their order in time these events get no list and no row.
 *
 * Of an interaction that only the list it names shows to be randomised, nobody knows it here.
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
    listed: new IdTally(),
    users: new IdTally(),
    randomizedUsers: new IdTally(),
  };
  /** By model. */
  readonly #exposures = new Map<number, IdTally>();
  /** Models of the lists that would have been kept: those that are late would not. */
  readonly #models = new Set<number>();
  readonly #ofItems: typeof OF_ITEMS | typeof WITH_APART;

  /** @param countsRandomizedApart whether positives of randomised traffic are counted apart too. */
  constructor(countsRandomizedApart = false) {
    this.#ofItems = countsRandomizedApart ? WITH_APART : OF_ITEMS;
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
    if ((flags & RANDOMIZED) === 0) return;
    randomized.add(item);
    randomizedUsers.add(user);
    if (this.#ofItems === WITH_APART && (flags & POSITIVE) !== 0) randomizedPositives.add(item);
  }

  /** The list is items[from] .. items[to − 1]. */
  addExposure(model: number, flags: number, items: Int32Array, from: number, to: number): void {
    this.exposures++;
    if ((flags & LATE) === 0) this.#models.add(model);
    const counts = (flags & (SHOWN | RANDOMIZED)) === SHOWN;
    const tally = counts ? this.#exposuresOf(model) : this.#tallies.listed;
    for (let at = from; at < to; at++) tally.add(items[at]);
  }

  addTo(totals: PaneTotals): void {
    for (const kind of [...this.#ofItems, ...OF_USERS])
      totals[kind].addAll(this.#tallies[kind].counts());
    for (const [model, tally] of this.#exposures) totals.exposures(model).addAll(tally.counts());
  }

  /** Sets the flags of the users that are counted. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    for (const kind of OF_USERS) yield* markIds(flags, this.#tallies[kind].counts().ids);
  }

  /** Sets the flags of the items that are counted. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const kind of this.#ofItems) yield* markIds(flags, this.#tallies[kind].counts().ids);
    for (const tally of this.#exposures.values()) yield* markIds(flags, tally.counts().ids);
  }

  /** The counts as they are now, to be written later. */
  capture(): (to: BinaryWriter, ids: Dictionaries) => Generator<void, void> {
    const { interactions, exposures } = this;
    const ofItems = this.#ofItems.map((kind) => this.#tallies[kind].counts());
    const ofUsers = OF_USERS.map((kind) => this.#tallies[kind].counts());
    const listed = [...this.#models];
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
      yield;
    };
  }

  static read(from: BinaryReader, { items, models }: Places, countsRandomizedApart = false): LetGo {
    const letGo = new LetGo(countsRandomizedApart);
    letGo.interactions = from.number();
    letGo.exposures = from.number();
    for (const place of from.int32()) letGo.#models.add(models.id(place));
    const ofItems = () => ({ ids: items.column(from), counts: from.int32() });
    for (const kind of letGo.#ofItems) letGo.#tallies[kind].addAll(ofItems());
    for (const kind of OF_USERS) {
      letGo.#tallies[kind].addAll({ ids: from.int32(), counts: from.int32() });
    }
    for (const place of from.int32()) letGo.#exposuresOf(models.id(place)).addAll(ofItems());
    return letGo;
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
