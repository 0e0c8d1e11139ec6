import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type StoredBytes, writeStateFile } from '../../adapters/files/state-file.js';
import { UnskewError } from '../../errors.js';
import { counted, whole } from '../../rows/figures.js';
import type { CommandIo } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';
import { type KeptState, lookAtPartition, type StateOf, withState } from './stored-checkpoints.js';

export interface ExportStateOptions extends StateOf {
  /** Path of the new file, or of an existing folder to create it in. */
  readonly out: string;
}

/**
 * `unskew state export`: write the newest valid checkpoint of each partition to a file. If a
 * service is running, the checkpoints are from different moments. Each is consistent in itself; a
 * service that imports them reads the log from each checkpoint's position.
 */
export async function exportState(
  { out, ...of }: ExportStateOptions,
  io: CommandIo,
): Promise<void> {
  const group = of.config.kafka.groupId;
  const exportedAt = new Date().toISOString();
  const path = await pathOf(out, group, exportedAt);
  const told = {
    partitions: 0,
    bytes: 0,
  };
  await withState(of, (kept) => {
    const all = async function* (): AsyncGenerator<StoredBytes> {
      for await (const stored of wholeCheckpoints(kept, io)) {
        told.partitions++;
        told.bytes += stored.bytes.length;
        yield stored;
      }
      if (told.partitions === 0) {
        throw new UnskewError('STATE', `${kept.place}: no state is stored`);
      }
    };
    return writeStateFile(
      path,
      {
        group,
        exportedAt,
        program: packageVersion(),
      },
      all(),
    );
  });
  io.stdout(`${path}: ${counted(told.partitions, 'partition')}, ${whole(told.bytes)} bytes\n`);
}

export async function* wholeCheckpoints(
  { store, place }: KeptState,
  io: CommandIo,
): AsyncGenerator<StoredBytes> {
  for (const partition of await store.partitions()) {
    const found = await lookAtPartition(store, partition);
    const sound = found.find(({ faults }) => faults.length === 0);
    if (sound === undefined) {
      const why = found[0]?.faults[0] ?? 'there is no checkpoint';
      throw new UnskewError(
        'STATE',
        `${place}: partition ${partition} has no intact checkpoint: ${why}`,
      );
    }
    if (sound !== found[0]) {
      io.stderr(
        `partition ${partition}: the newest checkpoint is damaged; the one before it is exported\n`,
      );
    }
    yield {
      partition,
      bytes: sound.bytes,
    };
  }
}

async function pathOf(out: string, group: string, exportedAt: string): Promise<string> {
  const isFolder = await stat(out).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return out;
  const name = group.replace(/[^\w.-]/g, '_');
  return join(out, `${name}-${exportedAt.replace(/[:.]/g, '-')}.unskew-state`);
}
