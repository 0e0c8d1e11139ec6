import type { Admin } from 'kafkajs';
import { logRanges } from './topics.js';

/** Offsets to read from a partition: from ≤ o < to. */
export interface OffsetRange {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** A partition whose log no longer contains the start of a range. */
export interface LostBeginning {
  readonly partition: number;
  /** First offset of the log. */
  readonly low: number;
  /** Time of the log's first record, ms, rounded down to within a second; null for an empty log. */
  readonly lowTs: number | null;
}

export interface TimeRange {
  readonly partitions: readonly OffsetRange[];
  readonly lost: readonly LostBeginning[];
}

const RESOLUTION_MS = 1000;

/**
 * Find the offsets of all events from `fromMs` on, for each partition of a topic. The range starts
 * at the first record whose time is at least `fromMs`. It ends at the current end of the log, since
 * event times may be in any order.
 *
 * If a log was truncated and has no record before `fromMs`, records of the range may be missing.
 */
export async function offsetsFrom(
  admin: Admin,
  topic: string,
  fromMs: number,
  nowMs: number,
): Promise<TimeRange> {
  const ranges = await logRanges(admin, topic);
  const starts = await offsetsAt(admin, topic, fromMs);
  const partitions: OffsetRange[] = [];
  const lost: LostBeginning[] = [];
  for (const [partition, { low, high }] of [...ranges].sort(([a], [b]) => a - b)) {
    const from = Math.min(high, Math.max(low, starts.get(partition) ?? high));
    partitions.push({
      partition,
      from,
      to: high,
    });
    if (low === 0 || from > low) continue;
    const lowTs = low === high ? null : await timeAt(admin, topic, partition, low, fromMs, nowMs);
    lost.push({
      partition,
      low,
      lowTs,
    });
  }
  return { partitions, lost };
}

async function offsetsAt(
  admin: Admin,
  topic: string,
  ms: number,
): Promise<ReadonlyMap<number, number>> {
  const found = await admin.fetchTopicOffsetsByTimestamp(topic, Math.max(0, ms));
  return new Map(found.map(({ partition, offset }) => [partition, Number(offset)]));
}

/**
 * Find the time of the record at `offset` between two times, by bisection over the broker's lookup
 * of offsets by time.
 */
async function timeAt(
  admin: Admin,
  topic: string,
  partition: number,
  offset: number,
  fromMs: number,
  nowMs: number,
): Promise<number> {
  let low = fromMs;
  let high = nowMs + RESOLUTION_MS;
  while (high - low > RESOLUTION_MS) {
    const middle = Math.floor((low + high) / 2);
    const at = (await offsetsAt(admin, topic, middle)).get(partition);
    if (at === offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
