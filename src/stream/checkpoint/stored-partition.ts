import { Popularity } from '../../state/counts/popularity.js';
import { PopularityShare } from '../../state/counts/popularity-share.js';
import { IdPlaces, readIds } from '../../state/ids/id-dictionary.js';
import { Interner } from '../../state/ids/interner.js';
import { ModelNumbers } from '../../state/ids/model-numbers.js';
import { ModelPlaces } from '../../state/ids/model-places.js';
import { RecentIds } from '../../state/ids/recent-ids.js';
import { PartitionState } from '../../state/panes/partition.js';
import { type CheckpointHead, type OpenedCheckpoint, readModelPlaces } from './checkpoint.js';
import { layoutOf } from './state-layout.js';

/** All that a checkpoint holds, read with the settings that it was made with. */
export interface StoredPartition {
  readonly head: CheckpointHead;
  readonly users: Interner;
  readonly items: Interner;
  /** Models that have a place. */
  readonly models: Interner;
  /** Models of events that wait, and models that found no place. */
  readonly modelNames: Interner;
  readonly state: PartitionState;
  /** Of exposures and of interactions. */
  readonly seen: readonly RecentIds[];
  readonly popularity: Popularity;
  readonly share: PopularityShare;
  /** Bytes behind it that nothing was read from. */
  readonly left: number;
}

/** No pane closes in what is looked at, so none is given. */
const NO_PLACES = { most: 0, quietPanes: 0 };

/** Reads a checkpoint to its end, to be looked at. Yields often. */
export function* readStored(opened: OpenedCheckpoint): Generator<void, StoredPartition> {
  const { head, dictionaries, state: from } = opened;
  const layout = layoutOf(opened);
  const { popularity: rule, attributionTtlMs, longestWindowMs } = layout;
  const [users, items, models] = [new Interner(), new Interner(), new Interner()];
  const modelNames = new Interner();
  const places = {
    items: yield* IdPlaces.read(dictionaries, items),
    ...(yield* readModelPlaces(opened, { models, modelNames })),
  };
  yield* readIds(from, users);
  const { paneMs, horizonMs } = rule;
  const modelPlaces = new ModelPlaces(NO_PLACES, new ModelNumbers(modelNames, models));
  const counts = { paneMs, horizonMs, attributionTtlMs, longestWindowMs, popularity: rule };
  const options = { ...counts, places: modelPlaces };
  const state = new PartitionState(options);
  yield* state.restore(from, places, layout);
  const seen = [new RecentIds(layout.dedupeTtlMs), new RecentIds(layout.dedupeTtlMs)];
  for (const topic of seen) yield* topic.restore(from, layout.dedupeTtlMs);
  const popularity = new Popularity(rule);
  const share = new PopularityShare(popularity);
  yield* share.read(from, places, rule, layout.paneEnd);
  const ids = { users, items, models, modelNames };
  return { head, ...ids, state, seen, popularity, share, left: from.left };
}

/** How much a checkpoint holds. */
export interface StoredCounts {
  readonly users: number;
  readonly items: number;
  readonly models: readonly string[];
  /** Ids of events, by which those that come again are known. */
  readonly eventIds: number;
  /** Interactions of the longest window, those of open panes too. */
  readonly rows: number;
  readonly listEntries: number;
  /** Users with an interaction within the horizon. */
  readonly countedUsers: number;
}

export function storedCounts(stored: StoredPartition): StoredCounts {
  const { users, items, models, modelNames, state, seen } = stored;
  const { rows, listEntries, users: countedUsers } = state.held;
  const names = new Set([...textsOf(models), ...textsOf(modelNames)]);
  return {
    users: users.known,
    items: items.known,
    models: [...names].sort(),
    eventIds: seen.reduce((sum, { size }) => sum + size, 0),
    rows,
    listEntries,
    countedUsers,
  };
}

function textsOf(ids: Interner): string[] {
  return Array.from({ length: ids.size }, (_, id) => ids.text(id));
}
