import { StateFileReader } from '../../adapters/files/state-file.js';
import { UnskewError } from '../../errors.js';
import { counted, whole } from '../../rows/figures.js';
import type { CommandIo } from '../cli/io.js';
import {
  type LookedAt,
  lookAt,
  lookAtPartition,
  type StateOf,
  withState,
} from './stored-checkpoints.js';

export interface VerifyStateOptions extends StateOf {
  /** Path of an exported file to verify; undefined to verify the configured store. */
  readonly file: string | undefined;
}

interface Verified {
  readonly partition: number;
  readonly found: readonly LookedAt[];
}

/**
 * `unskew state verify`: read and check all checkpoints of a store or file without changing them.
 *
 * @throws UnskewError STATE if there is a problem, after all are reported
 */
export async function verifyState(options: VerifyStateOptions, io: CommandIo): Promise<void> {
  const { file } = options;
  if (file !== undefined) {
    await tellOf(file, inFile(file), io);
  } else {
    await withState(options, ({ store, place }) => {
      const all = async function* (): AsyncGenerator<Verified> {
        for (const partition of await store.partitions()) {
          yield {
            partition,
            found: await lookAtPartition(store, partition),
          };
        }
      };
      return tellOf(place, all(), io);
    });
  }
}

async function* inFile(path: string): AsyncGenerator<Verified> {
  const reader = await StateFileReader.open(path);
  try {
    await reader.head();
    for await (const { partition, bytes } of reader.partitions()) {
      yield {
        partition,
        found: [await lookAt(bytes)],
      };
    }
  } finally {
    await reader.close();
  }
}

async function tellOf(place: string, all: AsyncIterable<Verified>, io: CommandIo): Promise<void> {
  const there = new Set<number>();
  let count = 0;
  let faults = 0;
  const tell = (partition: number, fault: string) => {
    faults++;
    io.stdout(`partition ${partition}: ${fault}\n`);
  };
  for await (const { partition, found } of all) {
    there.add(partition);
    for (const [age, { stored, faults: own }] of found.entries()) {
      const which = age === 0 ? 'the newest checkpoint' : 'the one before it';
      for (const fault of faultsIn(partition, stored?.head.partition, own)) {
        tell(partition, `${which}: ${fault}`);
      }
      count = Math.max(count, stored?.head.log?.partitions ?? 0);
    }
    if (found.length === 0) {
      tell(partition, 'there is no checkpoint');
    } else if (found.every((each) => each.faults.length === 0)) {
      const bytes = found.reduce((sum, each) => sum + each.bytes.length, 0);
      io.stdout(
        `partition ${partition}: ${counted(found.length, 'intact checkpoint')}, ${whole(bytes)} bytes\n`,
      );
    }
  }
  if (there.size === 0) throw new UnskewError('STATE', `${place}: no state is stored`);
  for (let partition = 0; partition < count; partition++) {
    if (!there.has(partition)) {
      tell(partition, 'no state is stored, although the topics have this partition');
    }
  }
  if (faults === 0) return;
  throw new UnskewError('STATE', `${place}: ${faults} ${faults === 1 ? 'fault' : 'faults'}`);
}

function faultsIn(partition: number, told: number | undefined, own: readonly string[]) {
  const isOther = told !== undefined && told !== partition;
  return isOther ? [`it belongs to partition ${told}`, ...own] : own;
}
