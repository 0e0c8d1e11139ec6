import { MemoryRoundLog } from '../../src/adapters/memory/round-log.js';
import { roundLogContract, roundLogTailContract } from './round-log.js';

const harness = async () => {
  const shared = new MemoryRoundLog();
  return {
    open: () => new MemoryRoundLog(shared),
    lose: async () => shared.lose(),
    loseNewest: async () => shared.loseTail(1),
    close: async () => {},
  };
};

roundLogContract('Memory', harness);
roundLogTailContract('Memory', harness);
