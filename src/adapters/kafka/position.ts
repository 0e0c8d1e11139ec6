import type { Admin } from 'kafkajs';
import type { LogCheck } from '../../stream/files/log-check.js';
import { resolveStart } from '../../stream/files/log-check.js';
import type { SourceHandlers, StartPosition, TopicRole } from '../../stream/ports.js';
import { RecordTrail } from '../../stream/read/record-mark.js';
import type { KafkaOptions } from './options.js';
import { type LogRange, logRanges } from './topics.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/** Ask the handlers where to start each partition, and resolve their answers to offsets. */
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
        throw new Error(`${topic} has no partition ${partition}, but the other topic has one`);
      }
      positions.push(
        await positionAt(
          start,
          range,
          {
            role,
            topic,
            partition,
          },
          handlers,
        ),
      );
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
  const position = {
    ...of,
    next,
    high,
    trail,
    epoch: marks[0]?.epoch,
    isDoubtful: false,
    check,
  };
  await settle(position, handlers);
  return position;
}

/** Thrown if a handler failed; a retry would deliver the same records again. */
export class HandlerFailure extends Error {}

/** Run a handler; its errors become `HandlerFailure`, to tell them apart from the broker's. */
export async function byHandler<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new HandlerFailure('processing the records failed', { cause });
  }
}

/**
 * Reading position in one partition of one topic. `next` is the next offset to read; `high` is the
 * end offset of the log.
 */
export interface Position {
  readonly role: TopicRole;
  readonly topic: string;
  readonly partition: number;
  next: number;
  high: number;
  /** Marks of records read, by which a replaced log is recognised. */
  readonly trail: RecordTrail;
  /** Leader epoch of the last record; undefined if unknown. */
  epoch: number | undefined;
  /** Whether the log may have changed since it was last read. */
  isDoubtful: boolean;
  /** Check of the log in progress. No record is delivered before this check has a verdict. */
  check: LogCheck | undefined;
}

/**
 * End a check that has a verdict. If the log has changed, report the change, and continue at the
 * offset that the check found.
 */
export async function settle(position: Position, handlers: SourceHandlers): Promise<void> {
  const verdict = position.check?.verdict;
  if (verdict === undefined) return;
  position.check = undefined;
  if (verdict.kind === 'same') return;
  const { role, partition, next: expected } = position;
  position.next = verdict.found;
  position.trail.cut(verdict.found, verdict.kept);
  position.epoch = undefined;
  await byHandler(() =>
    handlers.changed?.(role, partition, {
      ...verdict,
      expected,
    }),
  );
}
