import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { CheckpointStore } from '../../stream/ports.js';
import { checkpointStore, statePlace } from '../service/state-stores.js';

/** Where a service keeps its state, as it is configured. */
export interface KeptState {
  readonly store: CheckpointStore;
  /** In words, without passwords. */
  readonly place: string;
}

/**
 * Opens the store of the configuration for as long as it is used.
 *
 * @throws UnskewError USAGE if none is configured
 */
export async function withState<T>(
  config: Config,
  use: (kept: KeptState) => Promise<T>,
): Promise<T> {
  const store = checkpointStore(config);
  if (store === undefined) {
    throw new UnskewError('USAGE', 'state.store: expected file or redis, found none');
  }
  try {
    return await use({ store, place: statePlace(config) });
  } finally {
    await store.close();
  }
}
