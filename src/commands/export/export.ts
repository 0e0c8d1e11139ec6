import type { Config, ConfigEntry } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { setLines } from '../../outputs/text/set.js';
import type { LoggedIo } from '../cli/io.js';
import { decoderOptions } from '../service/monitor-options.js';
import { openSchemas } from '../service/schemas.js';
import { forgottenUsers } from '../state/stored-checkpoints.js';
import type { SetReader } from './file-reader.js';
import { FileSetReader } from './file-reader.js';
import { KafkaSetReader } from './kafka-reader.js';
import { makeSet } from './make-set.js';
import { planOf } from './plan.js';
import { eventSettings, kafkaOptions } from './reading.js';
import { setPropensities } from './set-propensities.js';
import { setAt } from './storage.js';

export interface ExportOptions {
  readonly config: Config;
  /** All settings with their origins; a setting that was given but has no effect is an error. */
  readonly entries: readonly ConfigEntry[];
  /** Event files to draw from; if empty, the interactions topic is read. */
  readonly events: readonly string[];
  readonly train: readonly string[];
  /** Range of event times from ≤ t < to, ms; null for no bound. */
  readonly from: number | null;
  readonly to: number | null;
  readonly out: string;
  readonly maxFaults: number;
  readonly json: boolean;
}

/** `unskew export`: draw a debiased test set, or training set, from event files or from Kafka. */
export async function exportSet(options: ExportOptions, io: LoggedIo): Promise<void> {
  const { config, entries, out, json } = options;
  const propensities = await setPropensities(config.export.propensities);
  const range = {
    ...options,
    hasTrain: options.train.length > 0,
  };
  const manifest = await makeSet({
    plan: planOf(config, entries, {
      ...range,
      propensities: propensities?.stamp,
    }),
    propensities,
    events: eventSettings(config),
    reader: readerOf(options, io),
    ...(await setAt(out, config.export)),
    memoryBytes: config.export.memoryBytes,
    io,
  });
  io.stdout(json ? `${JSON.stringify(manifest)}\n` : setLines(manifest, out));
}

function readerOf(options: ExportOptions, io: LoggedIo): SetReader {
  const { config, events, train, maxFaults, from, to } = options;
  const decoder = decoderOptions(config);
  if (events.length > 0) {
    if (options.entries.some(({ origin }) => origin === '--allow-missing')) {
      throw new UnskewError('USAGE', '--allow-missing only has an effect on Kafka');
    }
    const maxEventBytes = config.events.maxBytes;
    return new FileSetReader({
      events,
      train,
      decoder,
      maxEventBytes,
      maxFaults,
      io,
    });
  }
  if (train.length > 0) throw new UnskewError('USAGE', '--train needs --events');
  if (from === null || to === null) {
    throw new UnskewError('USAGE', 'expected --events, or --from and --to for a range in Kafka');
  }
  return new KafkaSetReader({
    kafka: kafkaOptions(config, io),
    decoder,
    forgotten: () => forgottenUsers(config),
    schemas: openSchemas(config, io),
    start: { fromMs: from },
    allowMissing: config.export.allowMissing,
    maxFaults,
    io,
  });
}
