import { ClosedPanes } from '../state/closed-panes.js';
import { IdPlaces, readIds } from '../state/id-dictionary.js';
import type { Interner } from '../state/interner.js';
import { markPaneItems, markPaneUsers, type PaneContent } from '../state/pane-content.js';
import { PartitionState } from '../state/partition.js';
import type { Popularity } from '../state/popularity.js';
import type { PopularityShare } from '../state/popularity-share.js';
import { RecentIds } from '../state/recent-ids.js';
import type { OpenedCheckpoint } from './checkpoint.js';
import type { MonitorOptions } from './options.js';
import { decodeRecord } from './pane-record.js';
import { firstPaneKept } from './pane-tick.js';

/** Ids of a replica; items and models are those of all replicas of a process. */
export interface ReplicaIds {
  readonly items: Interner;
  readonly models: Interner;
  readonly users: Interner;
}

/**
 * The closed side of a partition that another worker reads: what its checkpoint holds of closed
 * panes, and the records of the panes after it. It moves a pane at a time, when it is told to.
 */
export class PartitionReplica {
  /** Models that ever had a list in the partition, in panes that were applied. */
  readonly models = new Set<number>();
  /** Panes through this one are here, applied or pending. */
  fetchedThrough = Number.NEGATIVE_INFINITY;
  readonly #options: MonitorOptions;
  readonly #ids: ReplicaIds;
  readonly #share: PopularityShare;
  #closed: ClosedPanes;
  #pending: { readonly content: PaneContent; readonly models: readonly number[] }[] = [];

  constructor(options: MonitorOptions, ids: ReplicaIds, popularity: Popularity) {
    this.#options = options;
    this.#ids = ids;
    this.#share = popularity.share();
    this.#closed = new ClosedPanes(options.popularity.horizonMs, options.tickMs);
  }

  get users(): Interner {
    return this.#ids.users;
  }

  /** What the tick reads. */
  get closed(): ClosedPanes {
    return this.#closed;
  }

  /** The oldest pane that is here and not applied; Infinity without any. */
  get nextPane(): number {
    return this.#pending[0]?.content.pane ?? Number.POSITIVE_INFINITY;
  }

  /** Starts from a checkpoint; what is in it of open panes is not looked at. */
  *restore({ head, dictionaries, state: from }: OpenedCheckpoint): Generator<void, void> {
    const { tickMs, attributionTtlMs, popularity, dedupeTtlMs } = this.#options;
    const items = yield* IdPlaces.read(dictionaries, this.#ids.items);
    const models = yield* IdPlaces.read(dictionaries, this.#ids.models);
    yield* readIds(from, this.users);
    const places = { items, models };
    const { horizonMs } = popularity;
    const state = new PartitionState({ paneMs: tickMs, attributionTtlMs, horizonMs });
    yield* state.restore(from, places);
    for (let topic = 0; topic < 2; topic++) yield* new RecentIds(dedupeTtlMs).restore(from);
    yield* this.#share.read(from, places);
    this.#closed = state.closed;
    for (const model of state.models()) this.models.add(model);
    this.fetchedThrough = head.progress.closedThrough;
  }

  /** Takes in a record of a pane after those that are here. */
  *fetch(bytes: Uint8Array): Generator<void, void> {
    this.#pending.push(yield* decodeRecord(bytes, this.#ids));
  }

  /**
   * Applies what is here of panes through this one.
   *
   * @returns positive interactions that no model had a list for
   */
  *apply(through: number): Generator<void, number> {
    const { tickMs } = this.#options;
    let unranked = 0;
    while (this.nextPane <= through) {
      const { content, models } = this.#pending.shift()!;
      for (const model of models) this.models.add(model);
      const paneEnd = (content.pane + 1) * tickMs;
      this.#closed.add(content, paneEnd);
      this.#share.addInteractions(content.counts, paneEnd);
      this.#share.addExposures(content.counts, paneEnd);
      unranked += content.counts.unranked;
      yield;
    }
    const end = (through + 1) * tickMs;
    this.#closed.advance(end);
    this.#share.advance(end);
    this.#closed.dropRowsBefore(firstPaneKept(through, this.#options));
    return unranked;
  }

  /** Sets the flags of the users that it refers to. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* this.#closed.markUsers(flags);
    for (const { content } of this.#pending) yield* markPaneUsers(flags, content);
  }

  /** Sets the flags of the items that it refers to; what it has counted is known to `Popularity`. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.#closed.markItems(flags);
    for (const { content } of this.#pending) yield* markPaneItems(flags, content);
  }
}
