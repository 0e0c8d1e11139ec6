import { Popularity } from '../../state/counts/popularity.js';
import { PopularityShare } from '../../state/counts/popularity-share.js';
import type { DenseCounts } from '../../state/counts/sparse-counts.js';
import { IdPlaces, readUsers } from '../../state/ids/id-dictionary.js';
import { Interner } from '../../state/ids/interner.js';
import { ModelNumbers, ModelPlaces } from '../../state/ids/model-places.js';
import { RecentIds } from '../../state/ids/recent-ids.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import { PartitionState } from '../../state/panes/partition.js';
import { layoutOf } from './changed-settings.js';
import { type CheckpointHead, type OpenedCheckpoint, readModelPlaces } from './checkpoint.js';

/** Upper bound (exclusive) of padding after the state, bytes. */
const PADDING = 16;

/**
 * Check a checkpoint for content that this program never writes; one line per fault. The checksum
 * cannot detect such content, only damage.
 */
export function storedFaults(stored: StoredPartition): string[] {
  return [
    ...(stored.beside === undefined ? [] : storedFaults(stored.beside)),
    ...headFaults(stored),
    ...paneFaults(stored),
    ...countFaults(stored),
    ...(stored.left < PADDING ? [] : [`${stored.left} bytes behind its end`]),
  ];
}

function headFaults({ head }: StoredPartition): string[] {
  const faults: string[] = [];
  for (const role of ['exposures', 'interactions'] as const) {
    const next = head.next[role] ?? 0;
    const outcomes = Object.values(head.accounts?.[role] ?? {});
    if (outcomes.some((count) => !(count >= 0))) {
      faults.push(`${role}: an outcome below 0`);
    }
    const told = outcomes.reduce((sum, count) => sum + count, 0);
    if (told > next) {
      faults.push(`${role}: outcomes of ${told} records, and ${next} were read`);
    }
    const offsets = (head.log?.marks[role] ?? []).map(({ offset }) => offset);
    if (offsets.some((offset, n) => offset >= (offsets[n - 1] ?? next))) {
      faults.push(`${role}: marks of the log that are not below the offset ${next}, in order`);
    }
  }
  return faults;
}

function paneFaults({ head, state, users, items, popularity }: StoredPartition): string[] {
  const { closedThrough, newest } = head.progress;
  const faults: string[] = [];
  if (state.oldestOpenPane <= closedThrough) {
    faults.push(`pane ${state.oldestOpenPane} is open, and ${closedThrough} is closed`);
  }
  let before = Number.NEGATIVE_INFINITY;
  for (const rows of state.closed.rows) {
    const { pane } = rows;
    if (pane <= before || pane > closedThrough) {
      faults.push(`rows of pane ${pane} after ${before}`);
    }
    if (pane * popularity.options.paneMs > newest.interactions) {
      faults.push(`rows of pane ${pane}, which is newer than the newest interaction`);
    }
    if (!hasEvenColumns(rows)) {
      faults.push(`columns of different length in pane ${pane}`);
    }
    if (rows.user.some((user) => !users.isKnown(user))) {
      faults.push(`unknown users in pane ${pane}`);
    }
    if (rows.item.some((item) => !items.isKnown(item))) {
      faults.push(`unknown items in pane ${pane}`);
    }
    before = pane;
  }
  return faults;
}

function hasEvenColumns({ length, item, flags, propensity, ranks, lists }: PaneRows): boolean {
  const columns = [item, flags, propensity, ...ranks, ...lists];
  return columns.every((column) => column === undefined || column.length === length);
}

/**
 * Check the counts by user and by item. Every interaction has a user and an item, so both sums must
 * be equal; if users are sampled, the sum over users may be smaller. The sums are not compared if a
 * seed was counted, or in a checkpoint without rows. No count may be below 0.
 */
function countFaults({ head, state, popularity }: StoredPartition): string[] {
  const { closed } = state;
  const faults: string[] = [];
  const ofUsers = sumOf(closed.userCounts);
  const ofItems = sumOf(popularity.interactions);
  const isSampled = closed.usersLevelSince(Number.NEGATIVE_INFINITY) > 0;
  const isOdd = isSampled ? ofUsers > ofItems : ofUsers !== ofItems;
  // Readers store no counts of items.
  if (isOdd && head.progress.seeded === undefined && head.holds !== 'lists') {
    faults.push(`${ofUsers} interactions of users, and ${ofItems} of items`);
  }
  const { horizonMs } = popularity.options;
  const whole = popularity.popularity();
  const counts = [closed.userCounts, popularity.interactions, popularity.listed];
  for (const shorter of popularity.horizons()) {
    const part = popularity.popularity(shorter);
    counts.push(part);
    if (shorter < horizonMs && exceeds(part, whole)) {
      faults.push(`an item is more popular over ${shorter} ms than over ${horizonMs} ms`);
    }
  }
  if (counts.some(isBelowZero)) {
    faults.push('a count below 0');
  }
  return faults;
}

type Counts = Pick<DenseCounts, 'counts' | 'size'>;

function sumOf({ counts, size }: Counts): number {
  let sum = 0;
  for (let id = 0; id < size; id++) {
    sum += counts[id];
  }
  return sum;
}

function isBelowZero({ counts, size }: Counts): boolean {
  for (let id = 0; id < size; id++) {
    if (counts[id] < 0) return true;
  }
  return false;
}

function exceeds(part: Counts, whole: Counts): boolean {
  for (let id = 0; id < part.size; id++) {
    if (part.counts[id] > (id < whole.size ? whole.counts[id] : 0)) return true;
  }
  return false;
}

/** Content of a checkpoint, read with the settings it was made with. */
export interface StoredPartition {
  readonly head: CheckpointHead;
  readonly users: Interner;
  readonly items: Interner;
  /** Tracked models. */
  readonly models: Interner;
  /** Names of models in pending events, and of models that are not tracked. */
  readonly modelNames: Interner;
  readonly state: PartitionState;
  /** Recent event ids of exposures and of interactions, for detecting duplicates. */
  readonly seen: readonly RecentIds[];
  readonly popularity: Popularity;
  readonly share: PopularityShare;
  /** Number of unread bytes at the end. */
  readonly left: number;
  /** Content of the second checkpoint, which has the rows, if two are concatenated. */
  readonly beside?: StoredPartition | undefined;
}

/** Limits for tracking models. They have no effect, since no pane closes during inspection. */
const NO_PLACES = {
  most: 0,
  quietPanes: 0,
};

/** Read a checkpoint to its end, for inspection. Yields often. */
export function* readStored(opened: OpenedCheckpoint): Generator<void, StoredPartition> {
  const { head, dictionaries, state: from } = opened;
  const layout = layoutOf(opened);
  const { popularity: rule, attributionTtlMs, longestWindowMs } = layout;
  const users = new Interner();
  const items = new Interner();
  const models = new Interner();
  const modelNames = new Interner();
  const places = {
    items: yield* IdPlaces.read(dictionaries, items),
    ...(yield* readModelPlaces(opened, { models, modelNames })),
  };
  yield* readUsers(from, users);
  const { paneMs, horizonMs } = rule;
  const modelPlaces = new ModelPlaces(NO_PLACES, new ModelNumbers(modelNames, models));
  const counts = {
    paneMs,
    horizonMs,
    attributionTtlMs,
    longestWindowMs,
    popularity: rule,
  };
  const options = {
    ...counts,
    places: modelPlaces,
  };
  const state = new PartitionState(options);
  yield* state.restore(from, places, layout);
  const seen = [new RecentIds(layout.dedupeTtlMs), new RecentIds(layout.dedupeTtlMs)];
  for (const topic of seen) {
    yield* topic.restore(from, layout.dedupeTtlMs);
  }
  const popularity = new Popularity(rule);
  const share = new PopularityShare(popularity);
  yield* share.read(from, places, rule, layout.paneEnd);
  const ids = {
    users,
    items,
    models,
    modelNames,
  };
  return {
    head,
    ...ids,
    state,
    seen,
    popularity,
    share,
    left: from.left,
    beside: opened.beside && (yield* readStored(opened.beside)),
  };
}

/** Numbers of users, items, models, events and list items in a checkpoint. */
export interface StoredCounts {
  readonly users: number;
  readonly items: number;
  readonly models: readonly string[];
  /** Number of event ids kept for detecting duplicates. */
  readonly eventIds: number;
  /** Number of stored interactions: those in the longest window and those in open panes. */
  readonly rows: number;
  readonly listEntries: number;
  /** Users with an interaction within the horizon. */
  readonly countedUsers: number;
}

export function storedCounts(stored: StoredPartition): StoredCounts {
  const { users, items, models, modelNames, state, seen } = stored;
  const { rows, listEntries, users: countedUsers } = state.held;
  const names = new Set([...textsOf(models), ...textsOf(modelNames)]);
  const counts = {
    users: users.known,
    items: items.known,
    models: [...names].sort(),
    eventIds: seen.reduce((sum, { size }) => sum + size, 0),
    rows,
    listEntries,
    countedUsers,
  };
  if (stored.beside === undefined) return counts;
  const beside = storedCounts(stored.beside);
  return {
    ...counts,
    users: Math.max(counts.users, beside.users),
    items: Math.max(counts.items, beside.items),
    models: [...new Set([...counts.models, ...beside.models])].sort(),
    rows: rows + beside.rows,
  };
}

function textsOf(ids: Interner): string[] {
  return Array.from({ length: ids.size }, (_, id) => ids.text(id));
}
