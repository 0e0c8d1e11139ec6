import { KafkaSource } from '../../adapters/kafka/source.js';
import type { Config } from '../../config.js';
import type { LogSource } from '../../stream/ports.js';
import type { LoggedIo } from '../cli/io.js';
import { kafkaOptions } from './kafka-connection.js';

type MakeSource = (config: Config, io: LoggedIo) => LogSource;

/** The logs that a service can read, by name: one line each. */
export const SOURCES = {
  kafka: (config, io) => new KafkaSource(kafkaOptions(config, io)),
} as const satisfies Readonly<Record<string, MakeSource>>;

export type SourceName = keyof typeof SOURCES;
