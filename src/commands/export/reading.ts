import type { KafkaOptions } from '../../adapters/kafka/options.js';
import type { Config } from '../../config.js';
import type { DecoderOptions } from '../../events/decode.js';
import type { Mapping } from '../../events/mapping/mapping.js';
import { type MappingName, mappingOf } from '../../events/mapping/named-mappings.js';
import type { Manifest } from '../../export/manifest.js';
import type { LoggedIo } from '../cli/io.js';
import { connectionOptions } from '../service/schemas.js';

/** What a manifest says of how events were read. */
export function eventSettings({ events, time }: Config): Manifest['events'] {
  const { maxBytes, mapping } = events;
  const settings = { maxBytes, maxFutureMs: time.maxFutureMs };
  return mapping === undefined ? settings : { ...settings, mapping };
}

/** How events are read that are to be read as a manifest says. */
export function decodedAs({ maxBytes, maxFutureMs, mapping }: Manifest['events']): DecoderOptions {
  const options = { maxEventBytes: maxBytes, maxFutureMs };
  if (mapping === undefined) return options;
  return { ...options, mapping: mappingOf(mapping as MappingName | Mapping) };
}

export function kafkaOptions(config: Config, io: LoggedIo): KafkaOptions {
  const { groupId, topics, maxBytesPerPartition } = config.kafka;
  return { ...connectionOptions(config, io), groupId, topics, maxBytesPerPartition };
}
