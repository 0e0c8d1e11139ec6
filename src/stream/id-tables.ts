import type { SegmentDimension } from '../events/dimensions.js';
import { SegmentTable } from '../events/segment-table.js';
import { bucketMs } from '../state/counts/rolling-counts.js';
import { type ForgottenUsers, refusalOf } from '../state/ids/forgotten-users.js';
import { Interner } from '../state/ids/interner.js';
import type { MonitorOptions } from './options.js';
import { runSliced, type Turns } from './sliced.js';

/** An owner of tables of ids. */
export interface SweptIds {
  /** A sweep that is due, to be run while no pane closes and nothing is written. */
  dueSweep(): Sweep | undefined;
}

export interface Swept {
  readonly kind: IdKind;
  readonly forgotten: number;
  /** How long it took in all, turns of others included, s. */
  readonly seconds: number;
}

/** Longest stretch of work between two turns of the event loop, ms. */
const SLICE_MS = 1;

/**
 * Runs the sweeps that are due, in slices.
 *
 * @param atRest runs work while no pane closes and nothing is written
 * @param told called with what each has done
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

/** Sets the flags of the ids that it refers to. Yields often. */
export interface References {
  markUsers(partition: number, flags: Uint8Array): Generator<void, void>;
  markItems(flags: Uint8Array): Generator<void, void>;
  /** Models by the numbers of their names, */
  markModelNames(flags: Uint8Array): Generator<void, void>;
  /** and those that have a place by their own. */
  markModels(flags: Uint8Array): Generator<void, void>;
}

/** Forgets the ids of one table that nothing refers to; @returns how many those were. */
export interface Sweep {
  readonly kind: IdKind;
  run(): Generator<void, number>;
}

export interface IdLimits {
  /** Items that are known at most. */
  readonly items: number;
  /** A table is swept where it holds more than this many ids, and this many times what was left. */
  readonly sweepFrom: number;
  readonly growth: number;
  /** Popularity counts expire in steps of this much event time. */
  readonly expiryMs: number;
  /** What rows are divided by. */
  readonly dimensions?: readonly SegmentDimension[] | undefined;
}

const SWEEP_FROM = 4096;
/** What is kept by model is an array by number: gaps cost. */
const MODELS_SWEPT_FROM = 64;
const GROWTH = 2;
/**
 * Names that events may call models by at a time. Each takes about a kilobyte until its pane closes;
 * of names that come once, such as ids of requests, there may be as many as there are lists.
 */
export const MOST_MODEL_NAMES = 32_768;

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
 * The ids of a process: items and models of all partitions, users of each. What nothing refers to
 * any more is forgotten: a table is swept when it has doubled since the last time, so that sweeping
 * costs a constant part of what filling it does, and no table is more than twice as large as what
 * was in use at some time. A number is never that of two ids at once, so numbers of ids that are
 * in use stay what they are, and what holds some need not change.
 *
 * Models have two tables: as events name them, and those that have a place, whose numbers have to
 * stay few.
 */
export class IdTables {
  readonly items: Interner;
  readonly models = new Interner();
  readonly modelNames = new Interner(MOST_MODEL_NAMES);
  /** Values of dimensions: few, so that they are never swept. */
  readonly segments: SegmentTable | undefined;
  readonly #limits: IdLimits;
  readonly #users = new Map<number, Interner>();
  #forgotten: ForgottenUsers | undefined;
  /** Tables of more ids are due. */
  readonly #due = new Map<Interner, number>();
  /** When the items were last swept because there was no room; in steps of `expiryMs`. */
  #lastStep = Number.NEGATIVE_INFINITY;
  /** The same of the names of models, which are of no more use once their pane has closed. */
  #lastFull = Number.NEGATIVE_INFINITY;

  constructor(limits: IdLimits) {
    this.#limits = limits;
    this.items = new Interner(limits.items);
    this.segments = limits.dimensions && new SegmentTable(limits.dimensions);
  }

  /** Users by partition. */
  get byPartition(): ReadonlyMap<number, Interner> {
    return this.#users;
  }

  /** Users whom no table takes in; undefined while there are none. */
  get forgotten(): ForgottenUsers | undefined {
    return this.#forgotten;
  }

  /** Refuses these users too, in all partitions: one that is new may be theirs by now. */
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

  readonly users = (partition: number): Interner => {
    let users = this.#users.get(partition);
    if (users === undefined) {
      users = new Interner();
      users.refuses = this.#forgotten && refusalOf(this.#forgotten);
      this.#users.set(partition, users);
    }
    return users;
  };

  /** How many ids are known. */
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
   * A sweep that is due, to be run to its end while no pane closes and nothing is written; events
   * may come in between its steps.
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
