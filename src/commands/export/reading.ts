import type { KafkaOptions } from '../../adapters/kafka/options.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { DecoderOptions } from '../../events/decode.js';
import type { Mapping } from '../../events/mapping/mapping.js';
import { type MappingName, mappingOf } from '../../events/mapping/named-mappings.js';
import { Pseudonyms } from '../../events/pseudonyms.js';
import type { Manifest } from '../../export/manifest.js';
import type { LoggedIo } from '../cli/io.js';
import { connectionOptions } from '../service/schemas.js';

/** Build the manifest's record of the settings that determine how events are read. */
export function eventSettings({ events, time }: Config): Manifest['events'] {
  const { maxBytes, mapping, pseudonyms } = events;
  const stamps = pseudonyms && { pseudonyms: new Pseudonyms(pseudonyms).every(STAMPED) };
  const settings = {
    maxBytes,
    maxFutureMs: time.maxFutureMs,
    ...stamps,
  };
  return mapping === undefined
    ? settings
    : {
        ...settings,
        mapping,
      };
}

/**
 * Text from which a pseudonym is made with each key. In manifests, this pseudonym is the key's
 * fingerprint.
 */
const STAMPED = 'unskew';

/**
 * Decoder options for reading events with the settings of a manifest.
 *
 * @throws UnskewError SET if the users of the set had pseudonyms with other keys than the current
 * ones
 */
export function decodedAs(
  { maxBytes, maxFutureMs, mapping, pseudonyms }: Manifest['events'],
  config: Config,
): DecoderOptions {
  if (JSON.stringify(pseudonyms) !== JSON.stringify(eventSettings(config).pseudonyms)) {
    const found =
      pseudonyms === undefined ? 'without pseudonyms' : 'with pseudonyms made with other keys';
    throw new UnskewError(
      'SET',
      `events.pseudonyms: expected the keys of the set, which was made ${found}`,
    );
  }
  const keys = config.events.pseudonyms;
  const options = {
    maxEventBytes: maxBytes,
    maxFutureMs,
    ...(keys && { pseudonyms: keys }),
  };
  if (mapping === undefined) return options;
  return {
    ...options,
    mapping: mappingOf(mapping as MappingName | Mapping),
  };
}

export function kafkaOptions(config: Config, io: LoggedIo): KafkaOptions {
  const { groupId, topics, maxBytesPerPartition } = config.kafka;
  return {
    ...connectionOptions(config, io),
    groupId,
    topics,
    maxBytesPerPartition,
  };
}
