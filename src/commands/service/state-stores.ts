import { FileCheckpointStore } from '../../adapters/files/checkpoint-store.js';
import { FileMarkStore } from '../../adapters/files/mark-store.js';
import { RedisCheckpointStore } from '../../adapters/redis/checkpoint-store.js';
import { redisPlace } from '../../adapters/redis/connection.js';
import { RedisMarkStore } from '../../adapters/redis/mark-store.js';
import type { Config } from '../../config.js';
import type { MarkStore } from '../../outputs/history/marks.js';
import type { CheckpointStore } from '../../stream/ports.js';

/**
 * Open the configured checkpoint store; undefined with `state.store: none`.
 *
 * @param isOfTicks whether to open the checkpoints of processes that tick, which are stored
 * separately from those of processes that read
 */
export async function checkpointStore(
  config: Config,
  isOfTicks = false,
): Promise<CheckpointStore | undefined> {
  const { state, kafka } = config;
  const dir = isOfTicks ? `${state.dir}/tick` : state.dir!;
  if (isBucket(state.dir)) {
    const { BucketCheckpointStore } = await import('../../adapters/s3/checkpoint-store.js');
    return new BucketCheckpointStore(dir, config.export.s3);
  }
  if (state.store === 'file') return new FileCheckpointStore(dir);
  if (state.store === 'redis') {
    const namespace = isOfTicks ? `${kafka.groupId}.tick` : kafka.groupId;
    return new RedisCheckpointStore({
      url: state.redisUrl!,
      namespace,
    });
  }
  return undefined;
}

/** Open the store of marks, next to the checkpoints; undefined with `state.store: none`. */
export async function markStore(config: Config): Promise<MarkStore | undefined> {
  const { state, kafka } = config;
  if (isBucket(state.dir)) {
    const { BucketMarkStore } = await import('../../adapters/s3/mark-store.js');
    return new BucketMarkStore(state.dir!, config.export.s3);
  }
  if (state.store === 'file') return new FileMarkStore(state.dir!);
  if (state.store === 'redis') {
    return new RedisMarkStore({
      url: state.redisUrl!,
      namespace: kafka.groupId,
    });
  }
  return undefined;
}

/** Describe where the state is stored, without passwords. */
export function statePlace({ state, kafka }: Config): string {
  if (isBucket(state.dir)) return state.dir!;
  if (state.store === 'file') return `the folder ${state.dir}`;
  return `${redisPlace(state.redisUrl!)}, group ${kafka.groupId}`;
}

function isBucket(dir: string | undefined): boolean {
  return dir?.startsWith('s3://') === true;
}
