import type { KafkaConnectionOptions, Log } from '../../adapters/kafka/options.js';
import type { Config } from '../../config.js';
import type { CommandIo } from '../cli/io.js';

/** How the configured cluster is reached. */
export function connectionOptions({ kafka }: Config, io: CommandIo): KafkaConnectionOptions {
  const log: Log = (level, message, fields) => io.log[level](fields, message);
  return {
    brokers: kafka.brokers,
    clientId: kafka.clientId,
    ssl: kafka.ssl,
    ...(kafka.sasl === undefined ? {} : { sasl: kafka.sasl }),
    connectTimeoutMs: kafka.connectTimeoutMs,
    log,
  };
}
