import { randomUUID } from 'node:crypto';
import { UnskewError } from '../../errors.js';
import type { RecordBatch } from '../../stream/ports.js';
import { type KafkaOptions, kafkaClient } from './options.js';
import { KafkaSource } from './source.js';
import type { OffsetRange } from './time-range.js';
import { withAdmin } from './topics.js';

export interface RangeReaderOptions extends KafkaOptions {
  readonly ranges: readonly OffsetRange[];
  readonly signal: AbortSignal;
  readonly onProgress?: (readRecords: number, totalRecords: number) => void;
}

/**
 * Read given offset ranges of the interactions topic once, in a temporary consumer group. Batches
 * may contain records after the end of a range, which `onBatch` must ignore.
 *
 * @throws UnskewError BROKER if records were deleted before they were read; any error of `onBatch`.
 */
export async function readRanges(
  options: RangeReaderOptions,
  onBatch: (batch: RecordBatch) => Promise<void>,
): Promise<void> {
  const { ranges, signal, onProgress } = options;
  const groupId = `${options.groupId}.export.${randomUUID()}`;
  const source = new KafkaSource({
    ...options,
    groupId,
  });
  const next = new Map(ranges.map(({ partition, from }) => [partition, from]));
  const open = new Map(ranges.map((range) => [range.partition, range]));
  for (const { partition, from, to } of ranges) {
    if (from >= to) {
      open.delete(partition);
    }
  }
  if (open.size === 0) return;
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const reached = () => {
    const read = ranges.reduce(
      (sum, { partition, from, to }) => sum + Math.min(to, next.get(partition)!) - from,
      0,
    );
    onProgress?.(read, total);
  };
  const finished = new Promise<void>((resolve, reject) => {
    const interrupt = () => reject(new UnskewError('INTERRUPTED', 'interrupted'));
    if (signal.aborted) {
      interrupt();
    }
    signal.addEventListener('abort', interrupt, { once: true });
    const close = (partition: number) => {
      open.delete(partition);
      if (open.size === 0) {
        resolve();
      }
    };
    source
      .start({
        assigned: async (partitions) =>
          new Map(
            partitions.map((partition) => [
              partition,
              {
                exposures: 'latest',
                interactions: next.get(partition) ?? 'latest',
              },
            ]),
          ),
        revoked: () => {},
        batch: async (batch) => {
          const range = open.get(batch.partition);
          if (batch.role !== 'interactions' || range === undefined) return;
          await onBatch(batch);
          next.set(batch.partition, batch.offsets[batch.offsets.length - 1] + 1);
          reached();
          if (next.get(batch.partition)! >= range.to) {
            close(batch.partition);
          }
        },
        caughtUp: (role, partition) => {
          if (role === 'interactions') {
            close(partition);
          }
        },
        gap: (role, partition, expected, found) => {
          if (role === 'exposures' || !open.has(partition)) return;
          const where = `partition ${partition} of ${options.topics.interactions}`;
          const lost = `offsets ${expected} to ${found - 1} of ${where} are missing`;
          reject(new UnskewError('BROKER', `${lost}: Kafka deleted them before they were read`));
        },
        changed: (role, partition, { kind }) => {
          if (role === 'exposures' || !open.has(partition)) return;
          const where = `partition ${partition} of ${options.topics.interactions}`;
          const what = kind === 'truncated' ? 'lost its newest records' : 'was recreated';
          const fault = `${where} ${what} while it was read: run the export again`;
          reject(new UnskewError('BROKER', fault));
        },
        state: () => {},
        failed: reject,
      })
      .catch(reject);
  });
  try {
    await finished;
  } finally {
    await source.stop();
    await forgetGroup(options, groupId);
  }
}

/** Delete a temporary group. Failure is not an error, since its offsets expire. */
async function forgetGroup(options: RangeReaderOptions, groupId: string): Promise<void> {
  try {
    await withAdmin(kafkaClient(options), (admin) => admin.deleteGroups([groupId]));
  } catch (error) {
    options.log?.(
      'debug',
      'cannot delete the consumer group of the export; it expires with its offsets',
      { reason: `${error}` },
    );
  }
}
