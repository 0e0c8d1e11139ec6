import { StateFileReader, type StoredBytes } from '../../adapters/files/state-file.js';
import { groupMembers } from '../../adapters/kafka/topics.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { counted, whole } from '../../rows/figures.js';
import type { LoggedIo } from '../cli/io.js';
import { tickGroupOf } from '../service/roles.js';
import { connectionOptions } from '../service/schemas.js';
import { type KeptState, lookAt, type StateOf, withState } from './stored-checkpoints.js';

export interface ImportStateOptions extends StateOf {
  readonly file: string;
  /** Whether to overwrite existing state. */
  readonly replace: boolean;
}

/**
 * Size of the chunks that a checkpoint is written in, bytes. Redis handles values of this size
 * well.
 */
const CHUNK_BYTES = 1 << 20;

/**
 * `unskew state import`: write the checkpoints of a file to the configured store. Each gets a new
 * epoch, which fences earlier owners of its partition. A running process could still take a
 * partition again, so the consumer group must be empty both before and after.
 */
export async function importState(options: ImportStateOptions, io: LoggedIo): Promise<void> {
  const { config, file } = options;
  const partitions = await checkedPartitions(file);
  await withState(options, async (kept) => {
    const { store, place } = kept;
    const there = await store.partitions();
    if (there.length > 0 && !options.replace) {
      const advice = 'use another kafka.groupId or store, or replace the state with --replace';
      throw new UnskewError(
        'USAGE',
        `${place}: there is already state of ${counted(there.length, 'partition')}: ${advice}`,
      );
    }
    await refuseWhileServed(config, io, 'import');
    const epochs = new Map<number, number>();
    for (const partition of new Set([0, ...partitions, ...there])) {
      epochs.set(partition, await store.takeEpoch(partition));
    }
    await refuseWhileServed(config, io, 'import');
    const bytes = await replaceAll(kept, file, epochs);
    io.stdout(`${place}: ${counted(partitions.length, 'partition')}, ${whole(bytes)} bytes\n`);
  });
}

/**
 * Read and verify the whole file before anything is written: one damaged checkpoint rejects the
 * file. @returns its partitions
 */
async function checkedPartitions(file: string): Promise<number[]> {
  const partitions: number[] = [];
  await eachOf(file, async ({ partition, bytes }) => {
    const { faults, stored } = await lookAt(bytes);
    const other = stored !== undefined && stored.head.partition !== partition;
    const fault = other ? `it belongs to partition ${stored.head.partition}` : faults[0];
    if (fault !== undefined) {
      throw new UnskewError('STATE', `${file}: the checkpoint of partition ${partition}: ${fault}`);
    }
    partitions.push(partition);
  });
  return partitions;
}

/**
 * Reject work on stored state while a service runs. @throws UnskewError STATE while any process of
 * the group runs, including those that tick
 */
export async function refuseWhileServed(config: Config, io: LoggedIo, then: string): Promise<void> {
  const { groupId } = config.kafka;
  const connection = connectionOptions(config, io);
  const readers = await groupMembers(connection, groupId);
  const members = readers + (await groupMembers(connection, tickGroupOf(groupId)));
  if (members === 0) return;
  const who = members === 1 ? 'a worker' : `${members} workers`;
  throw new UnskewError(
    'STATE',
    `the group ${groupId} has ${who}: stop the service, then ${then}. A process that was killed leaves the group within kafka.sessionTimeout`,
  );
}

async function replaceAll(
  { store, place }: KeptState,
  file: string,
  epochs: ReadonlyMap<number, number>,
): Promise<number> {
  const left = new Set(epochs.keys());
  let total = 0;
  const put = async (partition: number, chunks: readonly Uint8Array[] | undefined) => {
    const outcome = await store.replace(partition, epochs.get(partition)!, chunks);
    if (outcome === 'saved') return;
    const advice = 'stop it, and import again with --replace';
    throw new UnskewError(
      'STATE',
      `${place}: a service has taken over partition ${partition}: ${advice}`,
    );
  };
  await eachOf(file, async ({ partition, bytes }) => {
    await put(partition, chunksOf(bytes));
    left.delete(partition);
    total += bytes.length;
  });
  for (const partition of left) {
    await put(partition, undefined);
  }
  return total;
}

async function eachOf(file: string, take: (stored: StoredBytes) => Promise<void>): Promise<void> {
  const reader = await StateFileReader.open(file);
  try {
    await reader.head();
    for await (const stored of reader.partitions()) {
      await take(stored);
    }
  } finally {
    await reader.close();
  }
}

function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(bytes.subarray(at, at + CHUNK_BYTES));
  }
  return chunks;
}
