import type { Log } from '../../adapters/kafka/client-log.js';
import type { KafkaConnectionOptions, KafkaOptions } from '../../adapters/kafka/options.js';
import type { Config } from '../../config.js';
import type { LoggedIo } from '../cli/io.js';

/** How the configured cluster is reached. */
export function connectionOptions({ kafka }: Config, io: LoggedIo): KafkaConnectionOptions {
  const log: Log = (level, message, fields) => io.log[level](fields, message);
  return {
    brokers: kafka.brokers,
    clientId: kafka.groupId,
    ssl: kafka.ssl && { ...kafka.tls },
    ...(kafka.sasl === undefined ? {} : { sasl: kafka.sasl }),
    log,
  };
}

/** As what, and what of it, a service reads it. */
export function kafkaOptions(config: Config, io: LoggedIo): KafkaOptions {
  const { groupId, topics, maxBytesPerPartition, maxUnpackedBytes } = config.kafka;
  const { sessionTimeoutMs } = config.kafka;
  return {
    ...connectionOptions(config, io),
    ...{ groupId, topics, maxBytesPerPartition, maxUnpackedBytes },
    ...{ sessionTimeoutMs, stuckAfterMs: 3 * sessionTimeoutMs },
  };
}
