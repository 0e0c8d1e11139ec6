import { Popularity } from '../../state/counts/popularity.js';
import { PopularityShare } from '../../state/counts/popularity-share.js';
import type { PlacedModels } from '../../state/ids/heard-models.js';
import { ModelNumbers, ModelPlaces } from '../../state/ids/model-places.js';
import { RecentIds } from '../../state/ids/recent-ids.js';
import { UserDepths } from '../../state/ids/user-depths.js';
import { PaneTallies } from '../../state/panes/pane-tallies.js';
import { PartitionState } from '../../state/panes/partition.js';
import type { PaneLimits } from '../../state/panes/sample-level.js';
import type { References } from '../id-tables.js';
import type { StreamIds } from '../ids.js';
import {
  causesFollowed,
  type MonitorOptions,
  popularityOptions,
  requestsJoined,
  type SampleLimits,
  testRecorded,
} from '../options.js';
import type { TopicRole } from '../ports.js';
import { evaluatedModels, placeLimits } from '../tick/evaluated-models.js';
import { Learned } from '../tick/learned.js';
import type { Counted } from '../tick/lookup.js';
import { longestWindow, paneLimits } from '../tick/sample-limits.js';
import { Watermarks } from './watermarks.js';

/** One partition that this process reads. */
export interface Partition {
  readonly state: PartitionState;
  readonly seen: Readonly<Record<TopicRole, RecentIds>>;
  readonly share: PopularityShare;
  /** The newest pane that has closed here or is closing; events up to it are late. */
  closedThrough: number;
}

/**
 * State of all partitions that a process reads. Intake adds to it; closing and ticking read it.
 * Without I/O or clock.
 *
 * Partitions restored from checkpoints may be at different panes.
 */
export class Partitions implements References {
  readonly options: MonitorOptions;
  readonly ids: StreamIds;
  readonly watermarks: Watermarks;
  readonly popularity: Popularity;
  readonly learned: Learned;
  /** The newest pane that has closed or is closing in any partition. */
  closedThrough = Number.NEGATIVE_INFINITY;
  /**
   * Whether a previous process ticked pane `closedThrough`, and this one has to repeat the tick.
   */
  isTickDue = false;
  /** Memory limits of one pane of one partition. */
  readonly #limits: PaneLimits | undefined;
  readonly #tallies: PaneTallies;
  readonly #count: number;
  readonly #all = new Map<number, Partition>();

  /** @param count number of partitions of the topics over all workers, among which limits are divided. */
  constructor(options: MonitorOptions, ids: StreamIds, count: number) {
    this.options = options;
    this.#count = count;
    this.ids = ids;
    // Interactions may precede their lists by the clock skew, so a pane waits for those lists.
    const holdMs = options.latenessMs + (options.clockSkewMs ?? 0);
    this.watermarks = new Watermarks(holdMs, options.tickMs);
    this.popularity = new Popularity(popularityOptions(options));
    this.learned = new Learned(options);
    this.#tallies = new PaneTallies(this.popularity.ignoresRandomized);
    this.#limits = options.limits && paneLimits(options.limits, options, count);
  }

  /** Get or create a partition; a new one starts after the panes that others have closed. */
  of(number: number): Partition {
    let partition = this.#all.get(number);
    if (partition === undefined) {
      const { dedupeTtlMs } = this.options;
      partition = {
        state: this.#newState(number),
        seen: {
          exposures: new RecentIds(dedupeTtlMs),
          interactions: new RecentIds(dedupeTtlMs),
        },
        share: new PopularityShare(this.popularity),
        closedThrough: this.closedThrough,
      };
      this.#all.set(number, partition);
    }
    return partition;
  }

  entries(): IterableIterator<[number, Partition]> {
    return this.#all.entries();
  }

  /** Skip the empty panes of a partition through this one. */
  pass(number: number, through: number): void {
    const partition = this.of(number);
    partition.closedThrough = Math.max(partition.closedThrough, through);
    this.closedThrough = Math.max(this.closedThrough, through);
  }

  /** Drop a partition's pending events and lists, if another process reads them. */
  keepClosed(number: number): void {
    const partition = this.of(number);
    const { dedupeTtlMs } = this.options;
    partition.state.dropOpen();
    this.#all.set(number, {
      ...partition,
      seen: {
        exposures: new RecentIds(dedupeTtlMs),
        interactions: new RecentIds(dedupeTtlMs),
      },
    });
  }

  /** Drop the rows and counts of a partition's closed panes, if another process has them. */
  keepOpen(number: number): void {
    const { state, share } = this.of(number);
    state.closed.dropRowsBefore(Number.POSITIVE_INFINITY);
    share.clear();
  }

  /** Whether some restored partitions are behind the others. */
  get isCatchingUp(): boolean {
    for (const { closedThrough } of this.#all.values()) {
      if (closedThrough < this.closedThrough) return true;
    }
    return false;
  }

  /** Tracked models by partition. */
  get placed(): readonly PlacedModels[] {
    return [...this.#all.values()].map(({ state }) => state);
  }

  /** Start of the counts behind popularity, event time in ms; Infinity if there are none. */
  get countedSince(): number {
    return Math.min(...[...this.#all.values()].map(({ share }) => share.since));
  }

  /** The counts of the closed panes, for lookups of single items and users. */
  get counted(): Counted {
    const { placed, ids, closedThrough, options, popularity } = this;
    return {
      popularity,
      models: evaluatedModels(placed, ids.models, closedThrough, options).models,
      users: new Map([...this.#all].map(([number, { state }]) => [number, state.closed])),
    };
  }

  /** Numbers of rows, list items and users in all partitions, to compare with limits. O(users). */
  get held(): Omit<SampleLimits, 'requests'> {
    const all = [...this.#all.values()].map(({ state }) => state.held);
    const sum = (of: 'rows' | 'listEntries' | 'users') =>
      all.reduce((total, held) => total + held[of], 0);
    return {
      rows: sum('rows'),
      listEntries: sum('listEntries'),
      users: sum('users'),
    };
  }

  /**
   * Mark the users referenced by a partition as in use: flags[user] = 1. No pane may close
   * meanwhile.
   */
  *markUsers(number: number, flags: Uint8Array): Generator<void, void> {
    const partition = this.#all.get(number);
    if (partition !== undefined) {
      yield* partition.state.markUsers(flags);
    }
  }

  /** Mark all referenced items as in use: flags[item] = 1. No pane may close meanwhile. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.popularity.markItems(flags);
    for (const { state } of [...this.#all.values()]) {
      yield* state.markItems(flags);
    }
  }

  /** Mark all referenced model names as in use: flags[name] = 1. */
  *markModelNames(flags: Uint8Array): Generator<void, void> {
    for (const { state } of [...this.#all.values()]) {
      yield* state.markModelNames(flags);
    }
  }

  /** Mark the tracked models as in use: flags[model] = 1. No state refers to other models. */
  *markModels(flags: Uint8Array): Generator<void, void> {
    for (const { models } of this.placed) {
      for (const model of models.keys()) {
        flags[model] = 1;
      }
    }
    yield;
  }

  #newState(number: number): PartitionState {
    const { tickMs: paneMs, attributionTtlMs, clockSkewMs, popularity } = this.options;
    const { horizonMs } = popularity;
    const users = this.ids.users?.(number);
    const depths = users && new UserDepths(users);
    const sample = {
      depths,
      samplesSeen: this.#count > 1,
      ...(this.#limits && { limits: this.#limits }),
    };
    const requests = requestsJoined(this.options);
    const rows = {
      attributionTtlMs,
      clockSkewMs,
      ...causesFollowed(this.options),
      requests,
      experiment: testRecorded(this.options),
    };
    const { models, modelNames, segments } = this.ids;
    const numbers = new ModelNumbers(modelNames, models);
    const places = new ModelPlaces(placeLimits(this.options), numbers);
    const counts = {
      horizonMs,
      popularity,
      longestWindowMs: longestWindow(this.options),
    };
    return new PartitionState(
      {
        paneMs,
        ...counts,
        ...rows,
        ...sample,
        places,
        segments,
      },
      this.#tallies,
    );
  }
}
