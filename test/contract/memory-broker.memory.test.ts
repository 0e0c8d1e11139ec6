import { MemoryBroker } from '../../src/adapters/memory/broker.js';
import { type LogSourceHarness, logSourceContract } from './log-source.js';

async function memoryHarness(partitions: number): Promise<LogSourceHarness> {
  const broker = new MemoryBroker({ recordsPerPartition: 1000 });
  // The contract writes more than a thousand records to a partition only to have them trimmed.
  const roomy = new MemoryBroker();
  const topics = { exposures: 'exposures', interactions: 'interactions' };
  for (const each of [broker, roomy]) {
    for (const topic of Object.values(topics)) each.createTopic(topic, partitions);
  }
  let used = roomy;
  return {
    source: () => used.source({ topics, group: 'g', batchSize: 64 }),
    mismatchedSource: async () => {
      used.createTopic('wider', partitions + 1);
      return used.source({ topics: { ...topics, exposures: 'wider' }, group: 'g' });
    },
    topiclessSource: () => used.source({ topics: { ...topics, exposures: 'no' }, group: 'g' }),
    produce: (role, partition, values) => {
      const records = values.map((value) => ({ key: null, value, partition }));
      return used.producer().send(topics[role], records);
    },
    produceTrimmed: async (role, partition) => {
      used = broker;
      const records = Array.from({ length: 1500 }, (_, i) => ({
        key: null,
        value: `${i}`,
        partition,
      }));
      await used.producer().send(topics[role], records);
    },
    recreate: async (role) => used.recreateTopic(topics[role]),
    longSilenceMs: 50,
    close: async () => {},
  };
}

logSourceContract('the memory broker', memoryHarness);
