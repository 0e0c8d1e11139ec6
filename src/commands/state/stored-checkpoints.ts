import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Role } from '../../config/roles.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { ForgottenUsers } from '../../state/ids/forgotten-users.js';
import {
  type OpenedCheckpoint,
  openCheckpoint,
  peekCheckpoint,
} from '../../stream/checkpoint/checkpoint.js';
import {
  readStored,
  type StoredPartition,
  storedFaults,
} from '../../stream/checkpoint/stored-partition.js';
import type { CheckpointStore } from '../../stream/ports.js';
import { runSliced } from '../../stream/sliced.js';
import { checkpointStore, statePlace } from '../service/state-stores.js';

export const TURNS = {
  now: () => performance.now(),
  next: () => nextTurn(),
};
/**
 * Maximum number of attempts to read a checkpoint. A running service may delete it meanwhile, after
 * it has stored a newer one.
 */
const TRIES = 5;

/** A checkpoint that was read: its content, or why it cannot be used. */
export interface LookedAt {
  readonly bytes: Uint8Array;
  readonly version?: number;
  readonly stored?: StoredPartition;
  /** Reasons why the checkpoint cannot be used; empty if it is valid. */
  readonly faults: readonly string[];
}

/** Read a whole checkpoint and verify its checksum, format, columns and invariants. */
export async function lookAt(bytes: Uint8Array): Promise<LookedAt> {
  let opened: OpenedCheckpoint;
  try {
    opened = await runSliced(openCheckpoint(bytes), TURNS);
  } catch (error) {
    return {
      bytes,
      faults: [faultOf(error)],
    };
  }
  const { version } = opened;
  try {
    const stored = await runSliced(readStored(opened), TURNS);
    return {
      bytes,
      version,
      stored,
      faults: storedFaults(stored),
    };
  } catch (error) {
    return {
      bytes,
      version,
      faults: [faultOf(error)],
    };
  }
}

/** Read the checkpoints of a partition, newest first. A service may run at the same time. */
export async function lookAtPartition(
  store: Pick<CheckpointStore, 'load'>,
  partition: number,
): Promise<readonly LookedAt[]> {
  let before = '';
  for (let tries = 1; ; tries++) {
    const found: LookedAt[] = [];
    for await (const bytes of store.load(partition)) {
      found.push(await lookAt(bytes));
    }
    const faults = found.flatMap((each) => each.faults).join();
    if (faults === '' || faults === before || tries === TRIES) return found;
    before = faults;
  }
}

/** Describe why a checkpoint cannot be used. An unexpected error means damage too. */
function faultOf(error: unknown): string {
  if (error instanceof UnskewError) return error.message.replace('the checkpoint is damaged: ', '');
  if (error instanceof Error) return `it cannot be read: ${error.message}`;
  throw error;
}

/** Selects stored state: by the configuration, and by the role of the processes that wrote it. */
export interface StateOf {
  readonly config: Config;
  /**
   * Role of the processes that wrote the state: `tick` for those that tick, undefined or `read` for
   * those that read or do all the work.
   */
  readonly role?: Role | undefined;
}

/** The configured state store of a service. */
export interface KeptState {
  readonly store: CheckpointStore;
  /** Location of the state, without passwords. */
  readonly place: string;
}

/**
 * Open the configured store, pass it to a function, and close it afterwards.
 *
 * @throws UnskewError USAGE if no store is configured
 */
export async function withState<T>(
  { config, role }: StateOf,
  use: (kept: KeptState) => Promise<T>,
): Promise<T> {
  const isOfTicks = role === 'tick';
  const store = await checkpointStore(config, isOfTicks);
  if (store === undefined) {
    throw new UnskewError('USAGE', 'state.store: expected file or redis, found none');
  }
  try {
    const place = statePlace(config);
    return await use({
      store,
      place: isOfTicks ? `${place}, ticks` : place,
    });
  } finally {
    await store.close();
  }
}

/** Read the list of users deleted by `unskew forget`; undefined if there is none. */
export async function forgottenUsers(config: Config): Promise<ForgottenUsers | undefined> {
  if (config.state.store === 'none') return undefined;
  return withState({ config }, async ({ store }) => {
    for (const partition of await store.partitions()) {
      const forgotten = (await peekCheckpoint(store, partition))?.head.forgotten;
      if (forgotten !== undefined) return forgotten;
    }
    return undefined;
  });
}
