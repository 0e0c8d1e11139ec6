import type { Config, LoadedConfig } from '../../config.js';
import type { LoggedIo } from '../cli/io.js';
import { serviceExports } from '../export/service-exports.js';
import { intakeWithin } from '../intake/service-intake.js';
import { readUsedAside } from '../propensities/file/read-aside.js';
import { propensityFileOf } from '../propensities/file/used-file.js';
import { WatchedFile } from '../propensities/file/watched-file.js';
import { openSchemas, preparedSource } from './formats/schemas.js';
import { connectionOptions } from './kafka-connection.js';
import { statedSettings } from './marks/stated-settings.js';
import { runService } from './service.js';
import { SOURCES, type SourceName } from './sources.js';
import { deadLetterSink } from './stores/dead-letter-sink.js';
import { checkpointStore, markStore, paneExchange } from './stores/state-stores.js';

interface ServeOptions {
  readonly source?: SourceName;
  /** The configuration as it was given, to be compared with that of the last start. */
  readonly entries?: LoadedConfig['entries'];
}

/** `unskew serve`: a log in, that of Kafka unless another is named; metrics, API and page out. */
export async function serve(
  config: Config,
  io: LoggedIo,
  { source = 'kafka', entries }: ServeOptions = {},
): Promise<void> {
  const { kafka } = config;
  const connection = connectionOptions(config, io);
  const file = propensityFileOf(config);
  const schemas = openSchemas(config, io);
  await runService({
    config,
    io,
    source: preparedSource(SOURCES[source](config, io), schemas),
    schemas,
    checkpoints: checkpointStore(config),
    exchange: paneExchange(config),
    marks: markStore(config),
    settings: entries && statedSettings(entries),
    deadLetters: deadLetterSink(config, connection),
    exports: await serviceExports(config, io),
    propensities:
      file === undefined ? undefined : await WatchedFile.open(file, io.log, readUsedAside),
    intake: intakeWithin(config, io, schemas),
    onListening: (address) => io.log.info({ address, brokers: kafka.brokers }, 'unskew is up'),
  });
}
