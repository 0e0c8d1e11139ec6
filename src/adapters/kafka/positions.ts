import type { Admin } from 'kafkajs';
import { resolveStart } from '../../stream/log-check.js';
import type { SourceHandlers, StartPosition, TopicRole } from '../../stream/ports.js';
import { RecordTrail } from '../../stream/record-mark.js';
import { byHandler } from './handler-failure.js';
import type { KafkaOptions } from './options.js';
import { type Position, settle } from './position.js';
import { type LogRange, logRanges } from './topics.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

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
      if (range === undefined) {
        throw new Error(`${topic} has no partition ${partition}, which the other topic has`);
      }
      positions.push(await positionAt(start, range, { role, topic, partition }, handlers));
    }
  }
  return positions;
}

async function positionAt(
  start: StartPosition,
  range: LogRange,
  of: Pick<Position, 'role' | 'topic' | 'partition'>,
  handlers: SourceHandlers,
): Promise<Position> {
  const { next, lostFrom, check } = resolveStart(start, range);
  if (lostFrom !== undefined) {
    await byHandler(() => handlers.gap?.(of.role, of.partition, lostFrom, next));
  }
  const marks = typeof start === 'object' ? start.marks : [];
  const { high } = range;
  const trail = new RecordTrail(marks);
  const position = { ...of, next, high, trail, epoch: marks[0]?.epoch, isDoubtful: false, check };
  await settle(position, handlers);
  return position;
}
