import { MemoryPanesLog } from '../support/memory-panes-log.js';
import { panesLogContract } from './panes-log.js';

panesLogContract('memory', async (partitions) => {
  let count = partitions;
  const log = new MemoryPanesLog(() => count);
  return {
    log: () => log,
    extend: async (more) => {
      count = more;
    },
    wider: async () => {
      const before = count;
      const wider = new MemoryPanesLog(() => count);
      count++;
      await wider.open();
      count = before;
      return wider;
    },
    trim: async (partition, records) => log.of(partition).trim(records),
    recreate: async () => log.recreate(),
    close: async () => {},
  };
});
