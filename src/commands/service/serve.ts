import { FileCheckpointStore } from '../../adapters/files/checkpoint-store.js';
import { FileDeadLetters } from '../../adapters/files/dead-letters.js';
import { TopicDeadLetters } from '../../adapters/kafka/dead-letters.js';
import type { KafkaConnectionOptions } from '../../adapters/kafka/options.js';
import { KafkaWriter } from '../../adapters/kafka/writer.js';
import { RedisCheckpointStore } from '../../adapters/redis/checkpoint-store.js';
import { RedisPaneExchange } from '../../adapters/redis/pane-exchange.js';
import type { Config } from '../../config.js';
import type { CheckpointStore, DeadLetterSink, PaneExchange } from '../../stream/ports.js';
import type { CommandIo } from '../cli/io.js';
import { serviceExports } from '../export/service-exports.js';
import { connectionOptions } from './kafka-connection.js';
import { runService } from './service.js';
import { SOURCES, type SourceName } from './sources.js';

/** `unskew serve`: a log in, that of Kafka unless another is named; metrics, API and page out. */
export async function serve(
  config: Config,
  io: CommandIo,
  source: SourceName = 'kafka',
): Promise<void> {
  const { kafka } = config;
  const connection = connectionOptions(config, io);
  await runService({
    config,
    io,
    source: SOURCES[source](config, io),
    checkpoints: checkpointStore(config),
    exchange: paneExchange(config),
    deadLetters: deadLetterSink(config, connection),
    exports: await serviceExports(config, io),
    onListening: (address) => io.log.info({ address, brokers: kafka.brokers }, 'unskew is up'),
  });
}

function deadLetterSink(
  { deadLetters, kafka }: Config,
  connection: KafkaConnectionOptions,
): DeadLetterSink | undefined {
  if (deadLetters.to === 'none') return undefined;
  if (deadLetters.to === 'file') return new FileDeadLetters(deadLetters.file!);
  return new TopicDeadLetters(new KafkaWriter(connection), kafka.topics.deadLetter);
}

function checkpointStore({ state, kafka }: Config): CheckpointStore | undefined {
  if (state.store === 'file') return new FileCheckpointStore(state.dir!);
  if (state.store === 'redis') {
    return new RedisCheckpointStore({ url: state.redisUrl!, namespace: kafka.groupId });
  }
  return undefined;
}

function paneExchange({ state, kafka, workers }: Config): PaneExchange | undefined {
  if (workers.exchange === 'none') return undefined;
  return new RedisPaneExchange({ url: state.redisUrl!, namespace: kafka.groupId });
}
