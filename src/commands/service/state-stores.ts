import { FileCheckpointStore } from '../../adapters/files/checkpoint-store.js';
import { FileMarkStore } from '../../adapters/files/mark-store.js';
import { RedisCheckpointStore } from '../../adapters/redis/checkpoint-store.js';
import { redisPlace } from '../../adapters/redis/connection.js';
import { RedisMarkStore } from '../../adapters/redis/mark-store.js';
import type { Config } from '../../config.js';
import type { MarkStore } from '../../outputs/history/marks.js';
import type { CheckpointStore } from '../../stream/ports.js';

/** Where the checkpoints are kept, as it is configured; undefined where nothing is kept. */
export function checkpointStore({ state, kafka }: Config): CheckpointStore | undefined {
  if (state.store === 'file') return new FileCheckpointStore(state.dir!);
  if (state.store === 'redis') {
    return new RedisCheckpointStore({ url: state.redisUrl!, namespace: kafka.groupId });
  }
  return undefined;
}

/** Where marks are kept, beside the checkpoints; undefined where nothing is kept. */
export function markStore({ state, kafka }: Config): MarkStore | undefined {
  if (state.store === 'file') return new FileMarkStore(state.dir!);
  if (state.store === 'redis') {
    return new RedisMarkStore({ url: state.redisUrl!, namespace: kafka.groupId });
  }
  return undefined;
}

/** Where that is, without passwords. */
export function statePlace({ state, kafka }: Config): string {
  if (state.store === 'file') return `the folder ${state.dir}`;
  return `${redisPlace(state.redisUrl!)}, group ${kafka.groupId}`;
}
