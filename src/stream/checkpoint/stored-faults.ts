import type { DenseCounts } from '../../state/counts/sparse-counts.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { StoredPartition } from './stored-partition.js';

/** The last section is filled up to this many bytes. */
const PADDING = 16;

/**
 * What cannot be in a checkpoint that this program wrote, one line each: what holds of every state
 * whatever its log was. A checksum says that bytes are those that were written, not that they are
 * right.
 */
export function storedFaults(stored: StoredPartition): string[] {
  return [
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
    if (outcomes.some((count) => !(count >= 0))) faults.push(`${role}: an outcome below 0`);
    const told = outcomes.reduce((sum, count) => sum + count, 0);
    if (told > next) faults.push(`${role}: outcomes of ${told} records, and ${next} were read`);
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
    if (pane <= before || pane > closedThrough) faults.push(`rows of pane ${pane} after ${before}`);
    if (pane * popularity.options.paneMs > newest.interactions) {
      faults.push(`rows of pane ${pane}, which is newer than the newest interaction`);
    }
    if (!hasEvenColumns(rows)) faults.push(`columns of different length in pane ${pane}`);
    if (rows.user.some((user) => !users.isKnown(user)))
      faults.push(`unknown users in pane ${pane}`);
    if (rows.item.some((item) => !items.isKnown(item)))
      faults.push(`unknown items in pane ${pane}`);
    before = pane;
  }
  return faults;
}

function hasEvenColumns({ length, item, flags, propensity, ranks, lists }: PaneRows): boolean {
  const columns = [item, flags, propensity, ...ranks, ...lists];
  return columns.every((column) => column === undefined || column.length === length);
}

/** Every interaction has a user and an item: counts by either have the same sum. */
function countFaults({ state, popularity }: StoredPartition): string[] {
  const { closed } = state;
  const faults: string[] = [];
  const ofUsers = sumOf(closed.userCounts);
  const ofItems = sumOf(popularity.interactions);
  const isSampled = closed.usersLevelSince(Number.NEGATIVE_INFINITY) > 0;
  if (isSampled ? ofUsers > ofItems : ofUsers !== ofItems) {
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
  if (counts.some(isBelowZero)) faults.push('a count below 0');
  return faults;
}

type Counts = Pick<DenseCounts, 'counts' | 'size'>;

function sumOf({ counts, size }: Counts): number {
  let sum = 0;
  for (let id = 0; id < size; id++) sum += counts[id];
  return sum;
}

function isBelowZero({ counts, size }: Counts): boolean {
  for (let id = 0; id < size; id++) if (counts[id] < 0) return true;
  return false;
}

function exceeds(part: Counts, whole: Counts): boolean {
  for (let id = 0; id < part.size; id++) {
    if (part.counts[id] > (id < whole.size ? whole.counts[id] : 0)) return true;
  }
  return false;
}
