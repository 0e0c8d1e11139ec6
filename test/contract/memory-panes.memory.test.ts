import { MemoryCheckpointStore } from '../support/memory-checkpoint-store.js';
import { MemoryPaneExchange } from '../support/memory-pane-exchange.js';
import { paneExchangeContract } from './pane-exchange.js';

paneExchangeContract('Memory', async () => {
  const store = new MemoryCheckpointStore();
  const shared = new MemoryPaneExchange(store);
  return {
    open: () => new MemoryPaneExchange(store, shared),
    openStore: () => new MemoryCheckpointStore(store),
    lose: async () => shared.lose(),
    close: async () => {},
  };
});
