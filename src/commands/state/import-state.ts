import { StateFileReader, type StoredBytes } from '../../adapters/files/state-file.js';
import { groupMembers } from '../../adapters/kafka/topics.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { whole } from '../../rows/figures.js';
import type { LoggedIo } from '../cli/io.js';
import { tickGroupOf } from '../service/roles.js';
import { connectionOptions } from '../service/schemas.js';
import { type KeptState, lookAt, type StateOf, withState } from './stored-checkpoints.js';

export interface ImportStateOptions extends StateOf {
  readonly file: string;
  /** Whether state that is there already goes. */
  readonly replace: boolean;
}

/** Redis takes values of some size well, and the checkpoints it is given are in chunks too. */
const CHUNK_BYTES = 1 << 20;

/**
 * `unskew state import`: the checkpoints of a file into the configured store, under epochs of their
 * own. These fence any earlier owner of a partition; only the consumer group could let it in again,
 * so the group has to be empty, before the epochs are taken and after.
 */
export async function importState(options: ImportStateOptions, io: LoggedIo): Promise<void> {
  const { config, file } = options;
  const partitions = await checkedPartitions(file);
  await withState(options, async (kept) => {
    const { store, place } = kept;
    const there = await store.partitions();
    if (there.length > 0 && !options.replace) {
      const advice = 'name another kafka.groupId or store, or remove what is there by --replace';
      throw new UnskewError(
        'USAGE',
        `${place}: state of ${there.length} partitions is kept: ${advice}`,
      );
    }
    await refuseWhileServed(config, io, 'import');
    const epochs = new Map<number, number>();
    for (const partition of new Set([0, ...partitions, ...there])) {
      epochs.set(partition, await store.takeEpoch(partition));
    }
    await refuseWhileServed(config, io, 'import');
    const bytes = await replaceAll(kept, file, epochs);
    io.stdout(`${place}: ${whole(partitions.length)} partitions, ${whole(bytes)} bytes\n`);
  });
}

/** Reads all of it first: of a file that is not whole nothing is taken. */
async function checkedPartitions(file: string): Promise<number[]> {
  const partitions: number[] = [];
  await eachOf(file, async ({ partition, bytes }) => {
    const { faults, stored } = await lookAt(bytes);
    const other = stored !== undefined && stored.head.partition !== partition;
    const fault = other ? `is that of partition ${stored.head.partition}` : faults[0];
    if (fault !== undefined) {
      throw new UnskewError('STATE', `${file}: the checkpoint of partition ${partition}: ${fault}`);
    }
    partitions.push(partition);
  });
  return partitions;
}

/** @throws UnskewError STATE while any process of the group runs, those that tick too */
export async function refuseWhileServed(config: Config, io: LoggedIo, then: string): Promise<void> {
  const { groupId } = config.kafka;
  const connection = connectionOptions(config, io);
  const readers = await groupMembers(connection, groupId);
  const members = readers + (await groupMembers(connection, tickGroupOf(groupId)));
  if (members === 0) return;
  const who = members === 1 ? 'a worker' : `${members} workers`;
  throw new UnskewError(
    'STATE',
    `the group ${groupId} has ${who}: stop the service, then ${then}; one that was killed leaves the group within kafka.sessionTimeout`,
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
      `${place}: a service has taken partition ${partition}: ${advice}`,
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
