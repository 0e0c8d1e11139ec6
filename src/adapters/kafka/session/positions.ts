import type { Admin } from 'kafkajs';
import type { SourceHandlers, TopicRole } from '../../../stream/ports.js';
import type { KafkaOptions } from '../options.js';
import { logRanges, resolveStart } from '../topics.js';
import { byHandler } from './handler-failure.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/** Next offset and end of the log of one partition of one topic. */
export interface Position {
  readonly role: TopicRole;
  readonly topic: string;
  readonly partition: number;
  next: number;
  high: number;
}

/** Asks the handlers where the partitions start and finds the offsets in the logs. */
export async function startingPositions(
  admin: Admin,
  topics: KafkaOptions['topics'],
  partitions: readonly number[],
  handlers: SourceHandlers,
  outdated: AbortSignal,
): Promise<Position[]> {
  const ranges = {
    exposures: await logRanges(admin, topics.exposures),
    interactions: await logRanges(admin, topics.interactions),
  };
  const count = ranges.interactions.size;
  const starts = await byHandler(() => handlers.assigned(partitions, count, outdated));
  if (outdated.aborted) return [];
  const positions: Position[] = [];
  for (const role of ROLES) {
    const topic = topics[role];
    for (const partition of partitions) {
      const start = starts.get(partition)?.[role];
      const range = ranges[role].get(partition);
      if (start === undefined) throw new Error(`no start position for partition ${partition}`);
      if (range === undefined) throw new Error(`${topic} has no partition ${partition}`);
      const { offset, lostFrom } = resolveStart(start, range);
      if (lostFrom !== undefined) {
        await byHandler(() => handlers.gap?.(role, partition, lostFrom, offset));
      }
      positions.push({ role, topic, partition, next: offset, high: range.high });
    }
  }
  return positions;
}
