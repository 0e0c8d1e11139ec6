import { UnskewError } from '../../errors.js';
import { enlarged } from '../../events/column-table.js';
import { hashBytes } from '../../events/hash.js';
import type { NumberColumn, TextColumn } from '../../events/table-rows.js';
import { horizonsOf } from '../../state/counts/popularity.js';
import { NO_COUNTS, type SparseCounts, Tally } from '../../state/counts/sparse-counts.js';
import type { HeardModel } from '../../state/ids/heard-models.js';
import { Interner } from '../../state/ids/interner.js';
import { NO_PANE_COUNTS } from '../../state/panes/pane-content.js';
import type { IdTables } from '../id-tables.js';
import { type MonitorOptions, popularityOptions, pseudonymsOf } from '../options.js';
import type { Partitions } from '../panes/partitions.js';
import { stateSettings } from '../state-settings.js';
import {
  idAt,
  ROW_MEASURES,
  SEED_MEASURES,
  UnsoundRow,
  unknownMeasure,
  wholeAt,
} from './row-cells.js';

/**
 * Past counts from a table. Each row counts one measure in the time bucket that ends at `until`.
 */
export interface SeedColumns {
  readonly length: number;
  readonly measure: TextColumn;
  readonly model: TextColumn;
  readonly item: TextColumn;
  readonly user: TextColumn;
  readonly until: NumberColumn;
  readonly n: NumberColumn;
}

type OfItems = (typeof SEED_MEASURES.items)[number] | 'listed';
type Measure = OfItems | (typeof SEED_MEASURES.users)[number];
const OF_ITEMS: readonly OfItems[] = [...SEED_MEASURES.items, 'listed'];

const STATED = [
  'time.tick',
  'time.windows',
  'attribution.ttl',
  'positive.minValue',
  'events.actions',
  'popularity.horizon',
  'popularity.of',
  'popularity.randomized',
  'popularity.caused',
  'popularity.userCap',
  'gammaPeriod',
] as const;

/**
 * The settings that determine what a seed counts and how its time is divided into buckets. A seed
 * states them, and they must equal those of the service.
 */
export function seedSettings(options: MonitorOptions): Readonly<Record<string, string>> {
  const settings = stateSettings(options);
  return Object.fromEntries(STATED.map((name) => [name, JSON.stringify(settings[name])]));
}

/** Maximum number of steps into which a popularity horizon is divided (see `pastStepMs`). */
const MOST_STEPS = 720;

/**
 * Step between past windows, ms. Past windows are computed from counts by time bucket. The step is
 * the shortest window, or a multiple of it, so that a horizon has at most `MOST_STEPS` steps.
 */
export function pastStepMs(options: Pick<MonitorOptions, 'windows' | 'popularity'>): number {
  const lengths = options.windows.map(({ ms }) => ms);
  const shortest = Math.min(...lengths);
  const { horizonMs } = options.popularity;
  const longest = Number.isFinite(horizonMs) ? horizonMs : Math.max(...lengths);
  return shortest * Math.ceil(longest / MOST_STEPS / shortest);
}

/** Maximum value of a count, which has 32 bits. */
const MOST = 2 ** 31 - 1;
/** Maximum number of counts in a file; each takes about 10 bytes while the file is read. */
const MOST_COUNTS = 2 ** 27;

/** Counts by id, in the numbering of the file. */
class Counts {
  #ids = new Int32Array(4);
  #counts = new Int32Array(4);
  #length = 0;

  add(id: number, count: number): void {
    if (this.#length === this.#ids.length) {
      this.#ids = enlarged(this.#ids, 2 * this.#length);
      this.#counts = enlarged(this.#counts, 2 * this.#length);
    }
    this.#ids[this.#length] = id;
    this.#counts[this.#length++] = count;
  }

  /**
   * The counts, renumbered: `numberOf` returns the new number of an id. If that number is negative,
   * the counts of the id are dropped.
   */
  under(numberOf: (id: number) => number, tally: Tally): SparseCounts {
    for (let n = 0; n < this.#length; n++) {
      const number = numberOf(this.#ids[n]);
      if (number >= 0) {
        tally.addTimes(number, this.#counts[n]);
      }
    }
    return tally.drain();
  }
}

/**
 * The content of one time bucket: counts by measure, counts of exposures by model, and the first
 * and last pane in which each model had lists.
 */
interface Stretch {
  readonly counts: Map<Measure, Counts>;
  readonly exposures: Map<number, Counts>;
  readonly heard: Map<number, HeardModel>;
}

/**
 * Adds counts of a seed, oldest first: those of all buckets that end by `through` (event time, ms)
 * and were not added before.
 */
export type Planting = (through: number) => Generator<void, void>;

type SeededIds = Pick<IdTables, 'items' | 'modelNames'> & {
  users(partition: number): Interner;
};

/** The partitions and id tables that the counts of a seed are added to. */
export interface SeededPartitions {
  readonly partitions: Partitions;
  readonly ids: SeededIds;
  /** Number of partitions of the topics. */
  readonly count: number;
  readonly keys: RecordKeys;
}

/** How a log's records are partitioned: by user id or by pseudonym. */
export interface RecordKeys {
  /** Partition of a record with this key, given the number of partitions. */
  readonly partitionOf: (key: Uint8Array, count: number) => number;
  /** Whether the key is the user's pseudonym, as in a log written by the intake. */
  readonly arePseudonyms?: boolean;
}

/**
 * Past popularity counts, up to the end of a pane. The counted events are not read by this process,
 * or are read only for their lists and rows and not counted again.
 *
 * Counts of items are added to partition 0, and the counts of a user to the user's partition. Each
 * time bucket of a seed lies within one bucket of every horizon, so that its counts expire at the
 * right time.
 */
export class Seed {
  readonly #options: MonitorOptions;
  readonly #items = new Interner();
  readonly #models = new Interner();
  readonly #users = new Interner();
  readonly #stretches = new Map<number, Stretch>();
  readonly #settings = new Map<string, string>();
  /** Sum of the counts of each measure; for exposures, of each model. */
  readonly #sums = new Map<string | number, number>();
  #through = Number.NEGATIVE_INFINITY;
  /** Number of counts read. */
  #held = 0;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** Number of the last pane that the seed counts. */
  get pane(): number {
    return this.through / this.#options.tickMs - 1;
  }

  /** End of the last pane that the seed counts, event time, ms. */
  get through(): number {
    return this.#through;
  }

  /**
   * Add rows of the table.
   *
   * @throws UnsoundRow
   */
  add(columns: SeedColumns): void {
    const { texts, at } = columns.measure;
    const names: string[] = [];
    for (let r = 0; r < columns.length; r++) {
      const n = at[r];
      if (n >= 0) {
        names[n] ??= texts.string(n);
      }
      this.#add(columns, r, n < 0 ? '' : names[n]);
    }
  }

  /**
   * Check that the seed was made by this program's queries and with the same settings.
   *
   * @throws UnskewError FILE, in one clause, if it was not
   */
  check(): void {
    const refuse = (why: string): never => {
      throw new UnskewError('FILE', `${why}: make it with unskew sql --kind popularity`);
    };
    const { tickMs } = this.#options;
    if (this.#settings.size === 0) {
      refuse('it does not state the settings that it was made with');
    }
    for (const [name, now] of Object.entries(seedSettings(this.#options))) {
      const made = this.#settings.get(name);
      if (made === now) continue;
      refuse(`it was made with ${name} ${made ?? 'not stated'}, but the configuration has ${now}`);
    }
    if (!Number.isInteger(this.pane)) {
      refuse('it does not state the time at which its counts end');
    }
    for (const until of this.#stretches.keys()) {
      if (until % tickMs === 0 && until <= this.through) continue;
      refuse(`counts until ${until} end within no pane up to ${this.through}`);
    }
  }

  /** Add all counts to these partitions, which must be empty. Yields regularly. */
  *plant(numbers: readonly number[], where: SeededPartitions): Generator<void, void> {
    const { pane, through } = this;
    const { partitions } = where;
    // New partitions start at the first pane, so create them before `closedThrough` advances.
    const planted = numbers.map((number) => partitions.of(number));
    partitions.closedThrough = Math.max(partitions.closedThrough, pane);
    const longest = Math.max(...horizonsOf(popularityOptions(this.#options)));
    const planting = yield* this.planting(numbers, where, through - longest);
    yield* planting(through);
    for (const { state, share } of planted) {
      state.countedThrough = pane;
      state.closed.advance(through);
      share.advance(through);
    }
  }

  /**
   * Prepare to add the counts to these partitions step by step, as time advances.
   *
   * @param after counts of buckets that end by this event time, ms, are not added
   */
  *planting(
    numbers: readonly number[],
    { partitions, ids, count, keys }: SeededPartitions,
    after = Number.NEGATIVE_INFINITY,
  ): Generator<void, Planting> {
    const planted = numbers.map((number) => ({
      number,
      ...partitions.of(number),
    }));
    const numbered = this.#numbered(ids, keys, count);
    const tally = new Tally();
    const first = planted.find(({ number }) => number === 0);
    const untils = [...this.#stretches.keys()].sort((a, b) => a - b);
    const models = new Map<number, number>();
    const hear = ({ state }: NonNullable<typeof first>, heard: Stretch['heard']) => {
      for (const [model, panes] of heard) {
        const name = interned(this.#models, model, ids.modelNames, 'names of models');
        const before = state.models.get(models.get(model) ?? -1);
        models.set(model, state.hear(name, together(before, panes)));
      }
    };
    let next = 0;
    return function* planting(this: Seed, through: number): Generator<void, void> {
      for (; next < untils.length && untils[next] <= through; next++) {
        const until = untils[next];
        const { counts, exposures, heard } = this.#stretches.get(until)!;
        if (first !== undefined) {
          hear(first, heard);
        }
        if (until <= after) continue;
        const usersOf = yield* numbered.usersAt(until);
        for (const { number, state } of planted) {
          const of = (measure: Measure) =>
            counts.get(measure)?.under(usersOf(number), tally) ?? NO_COUNTS;
          yield* state.begin(until, of('user_interactions'), of('user_randomized'));
          yield;
        }
        if (first === undefined) continue;
        const of = (measure: OfItems) =>
          counts.get(measure)?.under(numbered.item, tally) ?? NO_COUNTS;
        const byModel: SparseCounts[] = [];
        for (const [model, each] of exposures) {
          const number = models.get(model);
          if (number === undefined) continue;
          while (byModel.length < number) {
            byModel.push(NO_COUNTS);
          }
          byModel[number] = each.under(numbered.item, tally);
        }
        const content = {
          ...NO_PANE_COUNTS,
          interactions: of('interactions'),
          positives: of('positives'),
          randomized: of('randomized'),
          randomizedPositives: of('randomized_positives'),
          leftOut: of('left_out'),
          listed: of('listed'),
          exposures: byModel,
        };
        first.share.addInteractions(content, until);
        first.share.addExposures(content, until);
        first.share.advance(until);
        yield;
      }
    }.bind(this);
  }

  #add({ model, item, user, until, n }: SeedColumns, r: number, name: string): void {
    if (name === 'setting') {
      const [key, value] = [model, item].map(({ texts, at }) => at[r] >= 0 && texts.string(at[r]));
      if (key === false || value === false) throw new UnsoundRow(r, 'a setting without a value');
      this.#settings.set(key, value);
      return;
    }
    if (n.isAbsent[r] === 1 && name.endsWith('_ts')) return;
    const count = wholeAt(n, r, 'n');
    if (name === 'through_ts') {
      this.#through = Math.max(this.#through, count);
    } else if (name === 'first_list_ts' || name === 'last_list_ts') {
      const pane = Math.floor(count / this.#options.tickMs);
      const { heard } = this.#stretch(wholeAt(until, r, 'until'));
      const number = idAt(model, r, 'model', this.#models);
      heard.set(
        number,
        together(heard.get(number), {
          first: pane,
          last: pane,
        }),
      );
      if (this.#models.size > this.#options.maxModels) {
        throw new UnsoundRow(
          r,
          `there are more models than models.max (${this.#options.maxModels})`,
        );
      }
    } else {
      const measured = OF_ITEMS.find((known) => known === name);
      const ofUsers = SEED_MEASURES.users.find((known) => known === name);
      if (measured === undefined && ofUsers === undefined && name !== 'exposures') {
        if (ROW_MEASURES.has(name)) return;
        throw unknownMeasure(name, r);
      }
      if (count <= 0 || count > MOST) throw new UnsoundRow(r, `n is ${count}`);
      const stretch = this.#stretch(wholeAt(until, r, 'until'));
      const whose = name === 'exposures' ? idAt(model, r, 'model', this.#models) : -1;
      const id =
        ofUsers === undefined
          ? idAt(item, r, 'item', this.#items)
          : idAt(user, r, 'user', this.#users);
      const key = whose < 0 ? name : whose;
      const sum = (this.#sums.get(key) ?? 0) + count;
      if (sum > MOST) throw new UnsoundRow(r, `there are more ${name} than ${MOST}`);
      this.#sums.set(key, sum);
      if (++this.#held > MOST_COUNTS) throw new UnsoundRow(r, `more than ${MOST_COUNTS} counts`);
      if (whose >= 0) {
        countsOf(stretch.exposures, whose).add(id, count);
      } else {
        countsOf(stretch.counts, (ofUsers ?? measured)!).add(id, count);
      }
    }
  }

  #stretch(until: number): Stretch {
    let stretch = this.#stretches.get(until);
    if (stretch === undefined) {
      stretch = {
        counts: new Map(),
        exposures: new Map(),
        heard: new Map(),
      };
      this.#stretches.set(until, stretch);
    }
    return stretch;
  }

  /**
   * Map the numbers that items and users have in the file to their numbers in this process. The
   * partition of each user is computed once per pseudonym key.
   */
  #numbered(ids: SeededIds, { partitionOf, arePseudonyms }: RecordKeys, count: number) {
    const pseudonyms = pseudonymsOf(this.#options);
    const all = this.#users;
    const own = new Int32Array(all.size);
    const items = new Int32Array(this.#items.size).fill(-1);
    const users = new Int32Array(own.length);
    let key = Number.NaN;
    const encoder = new TextEncoder();
    const item = (id: number): number => {
      if (items[id] < 0) {
        items[id] = interned(this.#items, id, ids.items, 'items (limits.items)');
      }
      return items[id];
    };
    function* usersAt(until: number) {
      const ts = until - 1;
      const now = pseudonyms?.keyAt(ts) ?? 0;
      // A user with a new pseudonym counts as a new user, who may be in another partition.
      if (now !== key) {
        users.fill(-1);
        const isNamed = arePseudonyms && pseudonyms !== undefined;
        for (let id = 0; id < own.length; id++) {
          const text = isNamed ? encoder.encode(pseudonyms.of(all.text(id), ts)) : bytesOf(all, id);
          own[id] = partitionOf(text, count);
          if (id % 4096 === 4095) {
            yield;
          }
        }
        key = now;
      }
      return (partition: number) => (id: number) => {
        if (own[id] !== partition) return -1;
        if (users[id] >= 0) return users[id];
        const table = ids.users(partition);
        const bytes = bytesOf(all, id);
        users[id] =
          pseudonyms?.intern(table, ts, bytes, 0, bytes.length) ??
          table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
        return users[id];
      };
    }
    return { item, usersAt };
  }
}

function together(one: HeardModel | undefined, other: HeardModel): HeardModel {
  if (one === undefined) return other;
  return {
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
  };
}

function bytesOf(table: Interner, id: number): Uint8Array {
  const bytes = new Uint8Array(table.byteLengthOf(id));
  table.copyTo(id, bytes, 0);
  return bytes;
}

function countsOf<Key>(all: Map<Key, Counts>, key: Key): Counts {
  let counts = all.get(key);
  if (counts === undefined) {
    counts = new Counts();
    all.set(key, counts);
  }
  return counts;
}

/**
 * Add an id of the file to a table of this process.
 *
 * @throws UnskewError FILE if the table of this process is full
 */
function interned(from: Interner, id: number, into: Interner, what: string): number {
  const bytes = bytesOf(from, id);
  const number = into.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  if (number < 0) throw new UnskewError('FILE', `it has more ${what} than the limit allows`);
  return number;
}
