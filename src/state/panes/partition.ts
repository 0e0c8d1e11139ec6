import {
  type ExposureColumns,
  HAS_PROPENSITIES,
  type InteractionColumns,
  NAMES_EXPOSURE,
  RANDOMIZED,
  SHOWN,
} from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter, Column } from '../binary/binary-writer.js';
import type { LetGo } from '../counts/let-go.js';
import { type Reach, reachOf } from '../counts/reach.js';
import { retained, type SparseCounts, Tally } from '../counts/sparse-counts.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import type { UserDepths } from '../ids/user-depths.js';
import { ClosedPanes } from './closed-panes.js';
import { ListStore } from './lists.js';
import { LATE, type OpenPane, POSITIVE } from './open-pane.js';
import {
  NO_PANE_COUNTS,
  type PaneContent,
  type PaneCounts,
  type SampledOut,
} from './pane-content.js';
import type { PaneRows } from './pane-rows.js';
import { type PaneLimits, UNLIMITED } from './sample-level.js';
import { SampledPane } from './sampled-pane.js';
import { UNRANKED } from './window-part.js';

export interface PartitionOptions {
  readonly paneMs: number;
  readonly attributionTtlMs: number;
  /** Horizon of the users' interaction counts (the posteriors). */
  readonly horizonMs: number;
  /** Rows between two yields of a close. */
  readonly sliceRows?: number;
  /** What a pane may keep; everything where it is not said. */
  readonly limits?: PaneLimits;
  /** Whether interactions may name lists; true where it is not said. */
  readonly areListsNamed?: boolean;
  /** Of the partition's users; where there are limits they are needed. */
  readonly depths?: UserDepths | undefined;
}

interface Attributed {
  readonly rows: PaneRows | undefined;
  /** Positive interactions without a list of any model. */
  readonly unranked: number;
  readonly sampledOut: SampledOut;
}

const NOTHING: Attributed = {
  rows: undefined,
  unranked: 0,
  sampledOut: { interactions: 0, exposures: 0 },
};

/** Scratch of a closing pane. Panes close one after another, so all partitions share one. */
export class PaneTallies {
  readonly positives = new Tally();
  readonly interactions = new Tally();
  readonly randomized = new Tally();
  readonly listed = new Tally();
  readonly users = new Tally();
  /** Users of randomised interactions, and whom a randomised list was shown or who had one. */
  readonly randomizedUsers = new Tally();
  readonly reached = new Tally();
  /** Items that randomised lists showed, by user. */
  readonly shownAtRandom = new Tally();
  readonly #exposures: Tally[] = [];

  exposures(model: number): Tally {
    while (this.#exposures.length <= model) this.#exposures.push(new Tally());
    return this.#exposures[model];
  }

  drain(unranked: number, sampledOut: SampledOut): PaneCounts {
    return {
      positives: this.positives.drain(),
      interactions: this.interactions.drain(),
      randomized: this.randomized.drain(),
      exposures: this.#exposures.map((tally) => tally.drain()),
      listed: this.listed.drain(),
      unranked,
      sampledOut,
    };
  }
}

/**
 * Everything that is known of the users of one partition: pending events by pane, their lists,
 * their interaction counts, and the rows of the panes that closed. A user lives in one partition,
 * so partitions never need one another; what is global (item counts) leaves as `PaneCounts`.
 */
export class PartitionState {
  readonly #options: PartitionOptions;
  readonly #limits: PaneLimits;
  readonly #depths: UserDepths | undefined;
  readonly #open = new Map<number, SampledPane>();
  readonly #lists: ListStore;
  readonly #tallies: PaneTallies;
  /** What is left of the panes that closed. */
  readonly closed: ClosedPanes;
  /** Of the pane that is closing: see `RandomizedPane`. */
  #isPartlyLogged = false;
  #current: SampledPane | undefined;
  #currentPane = Number.NaN;

  /** @throws RangeError where there are limits and no depths */
  constructor(options: PartitionOptions, tallies = new PaneTallies()) {
    this.#options = options;
    this.#limits = options.limits ?? UNLIMITED;
    this.#depths = options.depths;
    if (options.limits !== undefined && options.depths === undefined) {
      throw new RangeError('A partition with limits needs the depths of its users.');
    }
    this.#tallies = tallies;
    this.#lists = new ListStore(options.attributionTtlMs, options.areListsNamed);
    this.closed = new ClosedPanes(options.horizonMs, options.paneMs, options.depths);
  }

  /** The oldest pane with pending events; Infinity without any. */
  get oldestOpenPane(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const pane of this.#open.keys()) oldest = Math.min(oldest, pane);
    return oldest;
  }

  /** How much there is of what limits are for, of open panes and closed ones. O(users). */
  get held(): PaneLimits {
    let rows = 0;
    let listEntries = this.#lists.entries;
    for (const { pending } of this.#open.values()) {
      rows += pending.interactions.length;
      listEntries += pending.exposures.entries;
    }
    for (const { length } of this.closed.rows) rows += length;
    return { rows, listEntries, users: this.closed.userCounts.distinct };
  }

  /** Models that ever had a list here. */
  models(): number[] {
    return this.#lists.models();
  }

  addInteraction(pane: number, from: InteractionColumns, r: number, flags: number): void {
    if (pane !== this.#currentPane) this.#turnTo(pane);
    this.#current!.addInteraction(from, r, flags);
  }

  addExposure(pane: number, from: ExposureColumns, r: number, flags: number): void {
    if (pane !== this.#currentPane) this.#turnTo(pane);
    this.#current!.addExposure(from, r, flags);
  }

  /** Takes over what came in elsewhere for a pane that has no events here yet. */
  adopt(pane: number, events: SampledPane): void {
    this.#open.set(pane, events);
  }

  /**
   * Closes a pane: its events, in order of event time and exposures before interactions of the
   * same millisecond, become lists, rows and counts. Yields now and then so that the caller can
   * let others run; nothing may be added to this pane from its first step on.
   */
  *close(pane: number): Generator<void, PaneContent> {
    const paneEnd = (pane + 1) * this.#options.paneMs;
    const open = this.#open.get(pane);
    this.#open.delete(pane);
    if (pane === this.#currentPane) this.#currentPane = Number.NaN;
    this.closed.advance(paneEnd);
    const { rows, unranked, sampledOut } =
      open === undefined ? NOTHING : yield* this.#attribute(pane, open);
    if (open?.letGo !== undefined) this.#countLetGo(open.letGo);
    const users = this.#tallies.users.drain();
    const usersLevel = yield* this.closed.usersLevelWith(users, this.#limits.users);
    const content: PaneContent = {
      pane,
      levels: { rows: open?.level ?? 0, users: usersLevel },
      rows,
      users: this.#ofDepth(usersLevel, users),
      randomizedUsers: this.#ofDepth(usersLevel, this.#tallies.randomizedUsers.drain()),
      randomized: {
        users: this.#tallies.reached.drain().ids,
        shown: this.#tallies.shownAtRandom.drain(),
        isPartlyLogged: this.#isPartlyLogged,
      },
      counts: open === undefined ? NO_PANE_COUNTS : this.#tallies.drain(unranked, sampledOut),
    };
    this.#isPartlyLogged = false;
    yield* this.closed.makeRoom(content.levels);
    this.closed.add(content, paneEnd);
    this.#lists.expire(paneEnd);
    return content;
  }

  /**
   * How many users of a sample were shown each item, from ≤ ts < to, by the lists that are still
   * known.
   */
  *reach(from: number, to: number, items: number, level = 0): Generator<void, Reach> {
    const depths = this.#depths;
    return yield* reachOf(
      (visit) =>
        level === 0
          ? this.#lists.shown(from, to, visit)
          : this.#lists.shown(from, to, (user, ...list) => {
              if (depths!.of(user) >= level) visit(user, ...list);
            }),
      items,
    );
  }

  /**
   * The state as it is now, to be written later: events may come in meanwhile, but no pane may
   * close before the writing has ended.
   */
  capture(): (to: BinaryWriter, ids: Dictionaries) => Generator<void, void> {
    const open = [...this.#open].map(([number, pane]) => [number, pane.capture()] as const);
    const write = (to: BinaryWriter, ids: Dictionaries) => this.#write(to, ids);
    return function* writeAll(to, ids) {
      yield* write(to, ids);
      to.number(open.length);
      for (const [number, pane] of open) {
        to.number(number);
        yield* pane(to, ids);
      }
    };
  }

  /** Takes back what was captured; to be called before anything is added. */
  *restore(from: BinaryReader, places: Places): Generator<void, void> {
    yield* this.closed.readRows(from, places);
    yield* this.#lists.read(from, places);
    yield* this.closed.readCounts(from);
    for (let left = from.count(); left > 0; left--) {
      const pane = from.number();
      this.#open.set(pane, SampledPane.read(from, places, this.#limits, this.#depths));
      yield;
    }
  }

  /** Sets the flags of the users that anything here refers to; no pane may close meanwhile. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* this.closed.markUsers(flags);
    yield* this.#lists.markUsers(flags);
    for (const pane of [...this.#open.values()]) yield* pane.markUsers(flags);
  }

  /** The same of the items; those that are only counted are known to `Popularity`. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.closed.markItems(flags);
    yield* this.#lists.markItems(flags);
    for (const pane of [...this.#open.values()]) yield* pane.markItems(flags);
  }

  /** What changes only when a pane closes. */
  *#write(to: BinaryWriter, ids: Dictionaries): Generator<void, void> {
    yield* this.closed.writeRows(to, ids);
    yield* this.#lists.write(to, ids);
    yield* this.closed.writeCounts(to);
  }

  *#attribute(pane: number, open: SampledPane): Generator<void, Attributed> {
    const { interactions, exposures } = open.pending;
    const slice = this.#options.sliceRows ?? 16_384;
    const exposureOrder = exposures.order();
    yield;
    const order = interactions.order();
    yield;
    const rows = new RowBuilder(pane, interactions.rows, this.#lists);
    const level = Math.max(open.level, this.closed.rowsLevelSince(this.#oldestListsOf(pane)));
    let unranked = 0;
    let withoutRow = 0;
    let nextExposure = 0;
    for (let step = 0; step < order.length; step++) {
      if (step % slice === slice - 1) yield;
      const r = order[step];
      const ts = interactions.ts[r];
      while (
        nextExposure < exposureOrder.length &&
        exposures.ts[exposureOrder[nextExposure]] <= ts
      ) {
        this.#expose(exposures, exposureOrder[nextExposure++]);
        if (nextExposure % slice === 0) yield;
      }
      if (!this.#count(interactions, r)) continue;
      if (level > open.level && this.#depths!.of(interactions.user[r]) < level) {
        this.#countIfRandomized(interactions, r);
        withoutRow++;
        continue;
      }
      if (!rows.add(interactions, r)) unranked++;
      if (!rows.isRandomized) continue;
      this.#countRandomized(interactions.user[r], interactions.item[r]);
      if (!rows.namesRandomized) this.#isPartlyLogged = true;
    }
    while (nextExposure < exposureOrder.length) {
      this.#expose(exposures, exposureOrder[nextExposure++]);
      if (nextExposure % slice === 0) yield;
    }
    const sampledOut = {
      interactions: withoutRow + (open.letGo?.interactions ?? 0),
      exposures: open.letGo?.exposures ?? 0,
    };
    return { rows: rows.length > 0 ? rows.build() : undefined, unranked, sampledOut };
  }

  #countLetGo(letGo: LetGo): void {
    letGo.addTo(this.#tallies);
    for (const model of letGo.models) this.#lists.know(model);
  }

  /** The oldest pane whose lists a row of this one may be attributed to. */
  #oldestListsOf(pane: number): number {
    return pane - Math.ceil(this.#options.attributionTtlMs / this.#options.paneMs);
  }

  #ofDepth(level: number, counts: SparseCounts): SparseCounts {
    if (level === 0) return counts;
    return retained(counts, (user) => this.#depths!.of(user) >= level);
  }

  /** Counts the interaction; false for a late one, which gets no row. */
  #count(interactions: OpenPane['interactions'], r: number): boolean {
    const flags = interactions.flags[r];
    this.#tallies.interactions.add(interactions.item[r]);
    this.#tallies.users.add(interactions.user[r]);
    if ((flags & POSITIVE) !== 0) this.#tallies.positives.add(interactions.item[r]);
    if ((flags & LATE) === 0) return true;
    this.#countIfRandomized(interactions, r);
    return false;
  }

  /** By what the event itself says; what the list says that it names is known where it has a row. */
  #countIfRandomized(interactions: OpenPane['interactions'], r: number): void {
    if ((interactions.flags[r] & RANDOMIZED) === 0) return;
    this.#countRandomized(interactions.user[r], interactions.item[r]);
  }

  #countRandomized(user: number, item: number): void {
    this.#tallies.randomized.add(item);
    this.#tallies.randomizedUsers.add(user);
    this.#tallies.reached.add(user);
  }

  #expose(exposures: OpenPane['exposures'], r: number): void {
    const flags = exposures.flags[r];
    const model = exposures.model[r];
    const from = exposures.listStart[r];
    const to = exposures.listStart[r + 1];
    // A uniform list says nothing of how exposure follows popularity: it stays out of the counts.
    const counts = (flags & (SHOWN | RANDOMIZED)) === SHOWN;
    const tally = counts ? this.#tallies.exposures(model) : this.#tallies.listed;
    for (let at = from; at < to; at++) tally.add(exposures.items[at]);
    if ((flags & LATE) !== 0) return;
    const reaches = (flags & (SHOWN | RANDOMIZED)) === (SHOWN | RANDOMIZED);
    if (reaches) {
      this.#tallies.reached.add(exposures.user[r]);
      this.#tallies.shownAtRandom.addTimes(exposures.user[r], to - from);
    }
    // Of a list that is not shown, or drawn at random, they are no chances of the policy's.
    const isLogged = counts && (flags & HAS_PROPENSITIES) !== 0;
    this.#lists.add(
      exposures.user[r],
      model,
      exposures.ts[r],
      exposures.idHigh[r],
      exposures.idLow[r],
      flags,
      exposures.candidates[r],
      exposures.items,
      from,
      to,
      isLogged ? exposures.propensities : undefined,
    );
  }

  #turnTo(pane: number): void {
    let open = this.#open.get(pane);
    if (open === undefined) {
      open = new SampledPane(this.#limits, this.#depths);
      this.#open.set(pane, open);
    }
    this.#current = open;
    this.#currentPane = pane;
  }
}

/** Rows of a pane under construction: each interaction looks up its rank in every model's list. */
class RowBuilder {
  length = 0;
  /** Whether the row that was added last came from randomised traffic. */
  isRandomized = false;
  /** Whether it names a list that was drawn at random. */
  namesRandomized = false;
  readonly #pane: number;
  readonly #lists: ListStore;
  readonly #user: Int32Array;
  readonly #item: Int32Array;
  readonly #flags: Uint8Array;
  #propensity: Float32Array | undefined;
  readonly #ranks: (Uint16Array | undefined)[] = [];
  readonly #codes: (Uint16Array | undefined)[] = [];

  constructor(pane: number, capacity: number, lists: ListStore) {
    this.#pane = pane;
    this.#lists = lists;
    this.#user = new Int32Array(capacity);
    this.#item = new Int32Array(capacity);
    this.#flags = new Uint8Array(capacity);
  }

  /** @returns false for a positive interaction that no model had a list for. */
  add(from: OpenPane['interactions'], r: number): boolean {
    const row = this.length++;
    const flags = from.flags[r];
    const user = from.user[r];
    const item = from.item[r];
    const ts = from.ts[r];
    this.#user[row] = user;
    this.#item[row] = item;
    this.#flags[row] = flags;
    this.isRandomized = (flags & RANDOMIZED) !== 0;
    this.namesRandomized = false;
    const lists = this.#lists;
    let named = -1;
    let ranked = false;
    let propensity = 0;
    let shownAt = Number.NEGATIVE_INFINITY;
    if ((flags & NAMES_EXPOSURE) !== 0) {
      named = lists.lookNamed(from.namedHigh[r], from.namedLow[r], user, item, ts);
      if (lists.isRandomized) {
        this.#flags[row] |= RANDOMIZED;
        this.isRandomized = true;
        this.namesRandomized = true;
      }
      if (named >= 0) {
        // What led to the interaction decides, with a propensity or without.
        propensity = lists.propensity;
        shownAt = Number.POSITIVE_INFINITY;
        this.#column(named);
        this.#note(named, row, lists.code, lists.rank);
        ranked = true;
      }
    }
    for (let model = 0; model < lists.modelCount; model++) {
      if (model === named) continue;
      if (lists.look(model, user, item, ts)) {
        this.#column(model);
        ranked = true;
        if (lists.propensity > 0 && lists.ts > shownAt) {
          propensity = lists.propensity;
          shownAt = lists.ts;
        }
      } else if (this.#ranks[model] === undefined) {
        continue;
      }
      this.#note(model, row, lists.code, lists.rank);
    }
    if (propensity > 0) {
      this.#propensity ??= new Float32Array(this.#user.length);
      this.#propensity[row] = propensity;
    }
    return ranked || (flags & POSITIVE) === 0;
  }

  build(): PaneRows {
    const length = this.length;
    // Where not everybody has a row there was room for more.
    const cut = <T extends Column>(column: T) => cutTo(column, length);
    return {
      pane: this.#pane,
      length,
      user: cut(this.#user),
      item: cut(this.#item),
      flags: cut(this.#flags),
      propensity: this.#propensity && cut(this.#propensity),
      ranks: this.#ranks.map((column) => column && cut(column)),
      lists: this.#codes.map((column) => column && cut(column)),
    };
  }

  #note(model: number, row: number, code: number, rank: number): void {
    this.#codes[model]![row] = code;
    this.#ranks[model]![row] = rank;
  }

  #column(model: number): void {
    if (this.#ranks[model] !== undefined) return;
    while (this.#ranks.length < model) {
      this.#ranks.push(undefined);
      this.#codes.push(undefined);
    }
    this.#ranks[model] = new Uint16Array(this.#user.length).fill(UNRANKED);
    this.#codes[model] = new Uint16Array(this.#user.length);
  }
}

function cutTo<T extends Column>(column: T, length: number): T {
  return column.length === length ? column : (column.slice(0, length) as T);
}
