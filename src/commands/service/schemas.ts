import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../adapters/kafka/client-log.js';
import type { KafkaConnectionOptions, KafkaOptions } from '../../adapters/kafka/options.js';
import { RegistryClient } from '../../adapters/registry/client.js';
import type { Config } from '../../config.js';
import type { DecoderOptions } from '../../events/decode.js';
import { SchemaTable } from '../../events/formats/schema.js';
import type { LogSource, RecordBatch } from '../../stream/ports.js';
import { PreparedSource, SchemaPreparer } from '../../stream/read/schema-preparer.js';
import type { LoggedIo } from '../cli/io.js';

/** Schemas of events that start with a schema id, and the step that loads them before decoding. */
export interface Schemas {
  readonly framed: NonNullable<DecoderOptions['framed']>;
  readonly preparer: SchemaPreparer;
}

/**
 * Connect to the schema registry; undefined if all topics, including those of the intake, are JSON.
 */
export function openSchemas(config: Config, io: LoggedIo): Schemas | undefined {
  const { kafka, registry, intake } = config;
  const { formats } = kafka;
  const { url } = registry;
  const all = [...Object.values(formats), ...intake.sources.map(({ format }) => format)];
  if (url === undefined || all.every((format) => format === 'json')) return undefined;
  const schemas = new SchemaTable();
  const preparer = new SchemaPreparer({
    formats,
    schemas,
    registry: new RegistryClient({
      ...registry,
      url,
    }),
    now: Date.now,
    sleep: (ms) => sleep(ms, undefined, { ref: false }),
    onChange: (trouble) => {
      if (trouble === undefined) {
        io.log.info('the schema registry is back');
      } else {
        io.log.warn(
          { reason: trouble },
          'the schema registry does not answer; events wait until it does',
        );
      }
    },
  });
  return {
    framed: { formats, schemas },
    preparer,
  };
}

/** Wait until all schemas of a batch are loaded; also returns when the signal is aborted. */
export async function prepared(
  batch: RecordBatch,
  schemas: Schemas | undefined,
  signal: AbortSignal,
): Promise<void> {
  while (schemas !== undefined && !(await schemas.preparer.prepare(batch))) {
    signal.throwIfAborted();
  }
}

/** Make a log source wait for the schemas of its batches; unchanged without a registry. */
export function preparedSource(source: LogSource, schemas: Schemas | undefined): LogSource {
  return schemas === undefined ? source : new PreparedSource(source, schemas.preparer);
}

/** Connection settings of the configured cluster. */
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

/** Options for reading Kafka: connection, topics, formats, limits, and the start position. */
export function kafkaOptions(config: Config, io: LoggedIo): KafkaOptions {
  const { groupId, topics, maxBytesPerPartition, maxUnpackedBytes } = config.kafka;
  const { sessionTimeoutMs } = config.kafka;
  return {
    ...connectionOptions(config, io),
    groupId,
    topics,
    maxBytesPerPartition,
    maxUnpackedBytes,
    sessionTimeoutMs,
    stuckAfterMs: 3 * sessionTimeoutMs,
  };
}
