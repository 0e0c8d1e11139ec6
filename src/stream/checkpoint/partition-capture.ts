import type { BinaryReader } from '../../state/binary/binary-reader.js';
import type { BinaryWriter } from '../../state/binary/binary-writer.js';
import type { EventDictionaries, EventPlaces } from '../../state/ids/dictionaries.js';
import type { MonitorOptions } from '../options.js';
import type { Partition, Partitions } from '../panes/partitions.js';
import type { StoredSources } from '../panes/source-times.js';
import type { TopicRole } from '../ports.js';
import type { LearnedState } from '../tick/learned.js';
import { dropPassedPanes } from '../tick/sample-limits.js';
import type { StateLayout } from './changed-settings.js';

/** Progress of a partition, in a checkpoint's head. Panes and times may be −Infinity. */
export interface PartitionProgress extends Omit<LearnedState, 'ticked'> {
  readonly closedThrough: number;
  /**
   * The newest pane for which estimates over all partitions were computed; if left out, it is
   * `closedThrough`.
   */
  readonly ticked?: number;
  readonly newest: Readonly<Record<TopicRole, number>>;
  /** The last pane counted by a seed, if there was one. */
  readonly seeded?: number;
  /** Progress of the original sources, if an intake wrote the records. */
  readonly sources?: { readonly [role in TopicRole]?: StoredSources };
}

const NOTHING_LEARNED = { gamma: undefined };

/** Progress of a partition at its beginning. */
export const NO_PROGRESS: PartitionProgress = {
  closedThrough: Number.NEGATIVE_INFINITY,
  newest: {
    exposures: Number.NEGATIVE_INFINITY,
    interactions: Number.NEGATIVE_INFINITY,
  },
  gamma: undefined,
};

export interface CapturedPartition {
  readonly progress: PartitionProgress;
  write(to: BinaryWriter, ids: EventDictionaries): Generator<void, void>;
}

/**
 * Capture a partition for writing later. Events may be added meanwhile, but no pane may close
 * before writing has ended.
 *
 * @param isTicked whether ticks run here, so that their learned state is known
 */
export function capturePartition(
  partitions: Partitions,
  number: number,
  isTicked: boolean,
): CapturedPartition {
  const { watermarks, learned } = partitions;
  const { state, seen, share, closedThrough } = partitions.of(number);
  const newest = (role: TopicRole) => watermarks.newest(role, number);
  const sources: { [role in TopicRole]?: StoredSources } = {};
  for (const role of ['exposures', 'interactions'] as const) {
    const stored = watermarks.storedSources(role, number);
    if (stored !== undefined) {
      sources[role] = stored;
    }
  }
  const { countedThrough } = state;
  const { ticked, ...learnt } = learned.state;
  const parts = [state.capture(), seen.exposures.capture(), seen.interactions.capture()];
  return {
    progress: {
      closedThrough,
      newest: {
        exposures: newest('exposures'),
        interactions: newest('interactions'),
      },
      ...(countedThrough > Number.NEGATIVE_INFINITY && { seeded: countedThrough }),
      ...(Object.keys(sources).length > 0 && { sources }),
      ...(isTicked ? learnt : NOTHING_LEARNED),
      ...(isTicked && ticked !== closedThrough && { ticked }),
    },
    *write(to, ids) {
      for (const part of parts) {
        yield* part(to, ids);
      }
      yield* share.write(to, ids);
    },
  };
}

/**
 * Add a partition: restore its captured state, or start it from its beginning. A pane that other
 * partitions have closed can still be open in this one. To be called before the partition's first
 * event.
 */
export function* restorePartition(
  partitions: Partitions,
  number: number,
  progress: PartitionProgress,
  from?: {
    readonly reader: BinaryReader;
    readonly places: EventPlaces;
    readonly layout: StateLayout;
  },
): Generator<void, void> {
  const { watermarks, learned } = partitions;
  const partition = partitions.of(number);
  const { state, seen, share } = partition;
  if (from !== undefined) {
    const { reader, places, layout } = from;
    yield* state.restore(reader, places, layout);
    yield* seen.exposures.restore(reader, layout.dedupeTtlMs);
    yield* seen.interactions.restore(reader, layout.dedupeTtlMs);
    yield* share.read(reader, places, layout.popularity, layout.paneEnd);
    settleHorizons(partition, progress.closedThrough, partitions.options);
  }
  const newestOpen = state.newestOpenPane * partitions.options.tickMs;
  for (const role of ['exposures', 'interactions'] as const) {
    if (progress.newest[role] > watermarks.newest(role, number)) {
      const newest = progress.newest[role];
      watermarks.advance(role, number, newest, Math.max(newest, newestOpen));
    }
    const sources = progress.sources?.[role];
    if (sources !== undefined) {
      watermarks.restoreSources(role, number, sources);
    }
  }
  partition.closedThrough = progress.closedThrough;
  state.countedThrough = progress.seeded ?? state.countedThrough;
  if (progress.closedThrough <= partitions.closedThrough) return;
  partitions.closedThrough = progress.closedThrough;
  const { ticked = progress.closedThrough } = progress;
  learned.resume({
    ...progress,
    ticked,
  });
  partitions.isTickDue = wasTicked(partition, ticked);
}

/**
 * Whether the partition's newest closed pane was ticked. This is the case if that pane is the newest
 * ticked one. It is also the case if a later pane was ticked and the partition's windows have
 * content. With several workers a partition skips empty panes, which have no estimates.
 */
function wasTicked({ closedThrough, state }: Partition, ticked: number): boolean {
  return ticked === closedThrough || (ticked > closedThrough && state.closed.isInWindow);
}

/**
 * Advance the horizons of a restored partition to the end of its newest closed pane. They are
 * behind if the partition had skipped empty panes, and a tick may use the partition before it
 * closes another pane.
 */
function settleHorizons({ state, share }: Partition, pane: number, options: MonitorOptions): void {
  if (pane === Number.NEGATIVE_INFINITY) return;
  const paneEnd = (pane + 1) * options.tickMs;
  state.closed.advance(paneEnd);
  share.advance(paneEnd);
  dropPassedPanes(state.closed, pane, options);
}
