import { MemoryCheckpointStore } from '../support/memory-checkpoint-store.js';
import { checkpointStoreContract } from './checkpoint-store.js';

checkpointStoreContract('Memory', async () => {
  const shared = new MemoryCheckpointStore();
  return {
    open: () => new MemoryCheckpointStore(shared),
    damageNewest: async (partition) => shared.damageNewest(partition),
    close: async () => {},
  };
});
