import type { SegmentDimension } from '../events/dimensions.js';
import { SegmentTable } from '../events/segment-table.js';
import { bucketMs } from '../state/counts/rolling-counts.js';
import { type ForgottenUsers, refusalOf } from '../state/ids/forgotten-users.js';
import { Interner } from '../state/ids/interner.js';
import type { MonitorOptions } from './options.js';
import { runSliced, type Turns } from './sliced.js';

/** Owner of id tables, which knows which of them is due to be swept. */
export interface SweptIds {
  /** The next sweep that is due, if any; run it while no pane closes and nothing is written. */
  dueSweep(): Sweep | undefined;
}

/** Result of a sweep. */
export interface Swept {
  readonly kind: IdKind;
  /** Number of ids removed. */
  readonly forgotten: number;
  /** Total duration including yields, s. */
  readonly seconds: number;
}

/** Longest stretch of work between two turns of the event loop, ms. */
const SLICE_MS = 1;

/**
 * Run the sweeps of unreferenced ids that are due, in slices.
 *
 * @param atRest runs work while no pane closes and nothing is written
 * @param told called with the result of each sweep
 */
export async function sweepIds(
  ids: SweptIds,
  turns: Turns,
  atRest: (work: () => Promise<void>) => Promise<void>,
  told: (swept: Swept) => void,
): Promise<void> {
  for (let sweep = ids.dueSweep(); sweep !== undefined; sweep = ids.dueSweep()) {
    const { kind, run } = sweep;
    await atRest(async () => {
      const start = turns.now();
      const forgotten = await runSliced(run(), turns, undefined, SLICE_MS);
      told({
        kind,
        forgotten,
        seconds: (turns.now() - start) / 1000,
      });
    });
  }
}

export const ID_KINDS = ['user', 'item', 'model'] as const;
export type IdKind = (typeof ID_KINDS)[number];

/**
 * Finds the ids that are still in use. Each method handles one kind of ids: it sets the flag of
 * every id that some state refers to. Yields often.
 */
export interface References {
  markUsers(partition: number, flags: Uint8Array): Generator<void, void>;
  markItems(flags: Uint8Array): Generator<void, void>;
  /** Set the flags of model names in use. */
  markModelNames(flags: Uint8Array): Generator<void, void>;
  /** Set the flags of tracked models in use. */
  markModels(flags: Uint8Array): Generator<void, void>;
}

/** Removes the unreferenced ids of one table; `run` returns how many it removed. */
export interface Sweep {
  readonly kind: IdKind;
  run(): Generator<void, number>;
}

/** Limits of id tables, and when they are swept. */
export interface IdLimits {
  /** Maximum number of known items. */
  readonly items: number;
  /** Least number of ids for which a table is swept. */
  readonly sweepFrom: number;
  /** A table is swept when it has more than this multiple of the ids that its last sweep left. */
  readonly growth: number;
  /**
   * Length of the time buckets of popularity counts, event time, ms. Items are released only when
   * the counts of a bucket expire.
   */
  readonly expiryMs: number;
  /** Dimensions of the segments in rows; undefined if there are none. */
  readonly dimensions?: readonly SegmentDimension[] | undefined;
}

const SWEEP_FROM = 4096;
/**
 * Least number of models for which their table is swept. It is small because state by model is
 * stored in arrays indexed by model number.
 */
const MODELS_SWEPT_FROM = 64;
const GROWTH = 2;
/**
 * Maximum number of model names at a time. Each takes about a kilobyte until its pane closes, and a
 * misconfigured producer may send a new name with every list.
 */
export const MOST_MODEL_NAMES = 32_768;

/** Limits of the id tables under these options. */
export function idLimits({ ids, popularity, tickMs, segments }: MonitorOptions): IdLimits {
  return {
    items: ids?.maxItems ?? Number.POSITIVE_INFINITY,
    sweepFrom: ids?.sweepFrom ?? SWEEP_FROM,
    growth: ids?.growth ?? GROWTH,
    expiryMs: bucketMs(popularity.horizonMs, tickMs),
    dimensions: segments?.dimensions.length === 0 ? undefined : segments?.dimensions,
  };
}

/**
 * The ids known to a process: items and models of all partitions, and users by partition. A table
 * is swept of unreferenced ids when it has doubled since its last sweep, so the cost per new id is
 * constant and no table is more than twice as large as needed. The number that stands for an id
 * never changes while the id is in use.
 *
 * Models have two tables: all names in events, and the tracked models, whose numbers must stay
 * small.
 */
export class IdTables {
  readonly items: Interner;
  readonly models = new Interner();
  readonly modelNames = new Interner(MOST_MODEL_NAMES);
  /**
   * Values of segment dimensions, which are few and never swept; undefined without segment
   * dimensions.
   */
  readonly segments: SegmentTable | undefined;
  readonly #limits: IdLimits;
  readonly #users = new Map<number, Interner>();
  #forgotten: ForgottenUsers | undefined;
  /** Number of ids from which each table is due to be swept. */
  readonly #due = new Map<Interner, number>();
  /**
   * When items were last swept, event time in steps of `expiryMs`. A full table is swept once per
   * step.
   */
  #lastStep = Number.NEGATIVE_INFINITY;
  /**
   * When model names were last swept, event time, ms. A full table is swept again only at a later
   * time.
   */
  #lastFull = Number.NEGATIVE_INFINITY;

  constructor(limits: IdLimits) {
    this.#limits = limits;
    this.items = new Interner(limits.items);
    this.segments = limits.dimensions && new SegmentTable(limits.dimensions);
  }

  /** Id tables of users by partition. */
  get byPartition(): ReadonlyMap<number, Interner> {
    return this.#users;
  }

  /**
   * Users who were forgotten on request (`unskew forget`), whose events are rejected; undefined if
   * there are none.
   */
  get forgotten(): ForgottenUsers | undefined {
    return this.#forgotten;
  }

  /** Reject events of these users too, in all partitions. */
  refuse({ salt, users }: ForgottenUsers): void {
    const all = new Set([...(this.#forgotten?.users ?? []), ...users]);
    this.#forgotten = {
      salt,
      users: [...all],
    };
    for (const table of this.#users.values()) {
      table.refuses = refusalOf(this.#forgotten);
    }
  }

  /** Id table of a partition's users, created on first use. */
  readonly users = (partition: number): Interner => {
    let users = this.#users.get(partition);
    if (users === undefined) {
      users = new Interner();
      users.refuses = this.#forgotten && refusalOf(this.#forgotten);
      this.#users.set(partition, users);
    }
    return users;
  };

  /** Number of known ids by kind. */
  get known(): Readonly<Record<IdKind, number>> {
    let user = 0;
    for (const users of this.#users.values()) {
      user += users.known;
    }
    return {
      user,
      item: this.items.known,
      model: this.modelNames.known,
    };
  }

  /**
   * The next sweep that is due, if any. Complete it while no pane closes and nothing is written;
   * events may be added between its steps.
   *
   * @param at newest event time, ms
   */
  dueSweep(at: number, references: References): Sweep | undefined {
    for (const [partition, users] of this.#users) {
      if (!this.#isDue(users)) continue;
      const mark = (flags: Uint8Array) => references.markUsers(partition, flags);
      return {
        kind: 'user',
        run: () => this.#sweep(users, mark),
      };
    }
    const areFull = this.modelNames.known >= MOST_MODEL_NAMES && at > this.#lastFull;
    if (areFull || this.#isDue(this.modelNames)) {
      this.#lastFull = at;
      const mark = (flags: Uint8Array) => references.markModelNames(flags);
      return {
        kind: 'model',
        run: () => this.#sweep(this.modelNames, mark),
      };
    }
    if (this.#isDue(this.models, MODELS_SWEPT_FROM)) {
      const mark = (flags: Uint8Array) => references.markModels(flags);
      return {
        kind: 'model',
        run: () => this.#sweep(this.models, mark, MODELS_SWEPT_FROM),
      };
    }
    const step = Math.floor(at / this.#limits.expiryMs);
    const isFull = this.items.known >= this.#limits.items && step > this.#lastStep;
    if (!isFull && !this.#isDue(this.items)) return undefined;
    this.#lastStep = step;
    return {
      kind: 'item',
      run: () => this.#sweep(this.items, (f) => references.markItems(f)),
    };
  }

  #isDue(table: Interner, least = this.#limits.sweepFrom): boolean {
    return table.known > (this.#due.get(table) ?? least);
  }

  *#sweep(
    table: Interner,
    mark: (flags: Uint8Array) => Generator<void, void>,
    least = this.#limits.sweepFrom,
  ): Generator<void, number> {
    yield* mark(table.mark());
    const forgotten = yield* table.sweep();
    this.#due.set(table, Math.max(least, this.#limits.growth * table.known));
    return forgotten;
  }
}
