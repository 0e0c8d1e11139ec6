import type { Popularity } from '../../state/counts/popularity.js';
import { PopularityShare } from '../../state/counts/popularity-share.js';
import {
  type HeardModels,
  NONE_UNPLACED,
  type PlacedModels,
  type Unplaced,
} from '../../state/ids/heard-models.js';
import { IdPlaces, readIds } from '../../state/ids/id-dictionary.js';
import type { Interner } from '../../state/ids/interner.js';
import { ModelNumbers, ModelPlaces } from '../../state/ids/model-places.js';
import { RecentIds } from '../../state/ids/recent-ids.js';
import { UserDepths } from '../../state/ids/user-depths.js';
import { ClosedPanes } from '../../state/panes/closed-panes.js';
import {
  markPaneItems,
  markPaneUsers,
  type PaneContent,
  type PaneCounts,
} from '../../state/panes/pane-content.js';
import { PartitionState } from '../../state/panes/partition.js';
import type { SegmentNames } from '../../state/panes/row-segments.js';
import { layoutOf } from '../checkpoint/changed-settings.js';
import { type OpenedCheckpoint, readModelPlaces } from '../checkpoint/checkpoint.js';
import { placeLimits } from '../evaluated-models.js';
import { type MonitorOptions, pseudonymsOf } from '../options.js';
import { dropPassedPanes, longestWindow } from '../sample-limits.js';
import { decodeRecord } from './pane-record.js';

/** Ids of a replica; items and models are those of all replicas of a process. */
export interface ReplicaIds {
  readonly items: Interner;
  readonly models: Interner;
  readonly modelNames: Interner;
  readonly users: Interner;
  /** What rows are divided by, if by anything. */
  readonly segments?: SegmentNames | undefined;
}

/**
 * The closed side of a partition that another worker reads: what its checkpoint holds of closed
 * panes, and the records of the panes after it. It moves a pane at a time, and only when asked to.
 */
export class PartitionReplica implements PlacedModels {
  /** Models that have a place in the partition, by the panes that were applied. */
  models: HeardModels = new Map();
  /** Panes through this one are here, applied or pending. */
  fetchedThrough = Number.NEGATIVE_INFINITY;
  readonly #options: MonitorOptions;
  readonly #ids: ReplicaIds;
  readonly #share: PopularityShare;
  readonly #depths: UserDepths;
  #closed: ClosedPanes;
  #pending: PaneContent[] = [];
  #unplacedIn = (_pane: number): Unplaced => NONE_UNPLACED;

  constructor(options: MonitorOptions, ids: ReplicaIds, popularity: Popularity) {
    this.#options = options;
    this.#ids = ids;
    this.#depths = new UserDepths(ids.users);
    this.#share = new PopularityShare(popularity);
    const { popularity: counted, tickMs } = options;
    const windowMs = longestWindow(options);
    this.#closed = new ClosedPanes(
      ...([counted.horizonMs, tickMs, windowMs, this.#depths, ids.segments] as const),
    );
  }

  get users(): Interner {
    return this.#ids.users;
  }

  /** Event time, ms, where what it counts for popularity begins; Infinity if nothing is counted. */
  get countedSince(): number {
    return this.#share.since;
  }

  unplacedIn(pane: number): Unplaced {
    return this.#unplacedIn(pane);
  }

  /** What the tick reads. */
  get closed(): ClosedPanes {
    return this.#closed;
  }

  /** The oldest pane that is here and not applied; Infinity without any. */
  get nextPane(): number {
    return this.#pending[0]?.pane ?? Number.POSITIVE_INFINITY;
  }

  /** Starts from a checkpoint; what is in it of open panes is not looked at. */
  *restore(checkpoint: OpenedCheckpoint): Generator<void, void> {
    const { head, dictionaries, state: from } = checkpoint;
    const layout = layoutOf(checkpoint);
    const { tickMs, attributionTtlMs, popularity } = this.#options;
    const items = yield* IdPlaces.read(dictionaries, this.#ids.items);
    const ofModels = yield* readModelPlaces(checkpoint, this.#ids);
    yield* readIds(from, this.users, pseudonymsOf(this.#options));
    const places = { items, ...ofModels };
    const { horizonMs } = popularity;
    const depths = this.#depths;
    const numbers = new ModelNumbers(this.#ids.modelNames, this.#ids.models);
    const kept = new ModelPlaces(placeLimits(this.#options), numbers);
    const { segments } = this.#ids;
    const counts = { horizonMs, popularity, depths, places: kept, segments };
    const longestWindowMs = longestWindow(this.#options);
    const state = new PartitionState({
      ...{ paneMs: tickMs, attributionTtlMs, longestWindowMs, ...counts },
    });
    yield* state.restore(from, places, layout);
    for (let topic = 0; topic < 2; topic++) {
      yield* new RecentIds(layout.dedupeTtlMs).restore(from, layout.dedupeTtlMs);
    }
    yield* this.#share.read(from, places, layout.popularity, layout.paneEnd);
    this.#closed = state.closed;
    this.models = new Map(state.models);
    this.#unplacedIn = (pane) => kept.unplacedIn(pane);
    this.fetchedThrough = head.progress.closedThrough;
  }

  /** Takes in a record of a pane after those that are here. */
  *fetch(bytes: Uint8Array): Generator<void, void> {
    this.#pending.push(yield* decodeRecord(bytes, this.#ids));
  }

  /** Applies what is here of panes through this one. */
  *apply(through: number): Generator<void, readonly PaneCounts[]> {
    const { tickMs } = this.#options;
    const settled: PaneCounts[] = [];
    while (this.nextPane <= through) {
      const content = this.#pending.shift()!;
      const paneEnd = (content.pane + 1) * tickMs;
      yield* this.#closed.makeRoom(content.levels);
      this.#closed.add(content, paneEnd);
      this.#share.addInteractions(content.counts, paneEnd);
      this.#share.addExposures(content.counts, paneEnd);
      this.models = content.models;
      this.#unplacedIn = (pane) =>
        pane === content.pane ? content.counts.unplaced : NONE_UNPLACED;
      this.#share.keepModels(this.models);
      settled.push(content.counts);
      yield;
    }
    const end = (through + 1) * tickMs;
    this.#closed.advance(end);
    this.#share.advance(end);
    dropPassedPanes(this.#closed, through, this.#options);
    return settled;
  }

  /** Sets the flags of the users that it refers to. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* this.#closed.markUsers(flags);
    for (const content of this.#pending) yield* markPaneUsers(flags, content);
  }

  /** Sets the flags of the items that it refers to; what it has counted is known to `Popularity`. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.#closed.markItems(flags);
    for (const content of this.#pending) yield* markPaneItems(flags, content);
  }

  /** Sets the flags of the models that have a place; nothing is kept of others. */
  markModels(flags: Uint8Array): void {
    for (const { models } of [this, ...this.#pending]) {
      for (const model of models.keys()) flags[model] = 1;
    }
  }
}
