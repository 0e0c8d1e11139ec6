import { KafkaSource } from '../../adapters/kafka/source.js';
import { partitionOfKey } from '../../adapters/kafka/writer.js';
import type { Role } from '../../config/roles.js';
import type { Config, ConfigEntry, LoadedConfig } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { StatedSettings } from '../../outputs/history/marks.js';
import type { PipelineOptions } from '../../stream/assignment.js';
import type { LogSource } from '../../stream/ports.js';
import type { LoggedIo } from '../cli/io.js';
import { serviceExports } from '../export/service-exports.js';
import { readSeed } from '../files/read-rows.js';
import { readPackedAside } from '../propensities/read-aside.js';
import { propensityFileOf } from '../propensities/used-file.js';
import { WatchedFile } from '../propensities/watched-file.js';
import { threadedTicks } from '../threads/threaded-ticks.js';
import { openDeadLetters } from './dead-letter-sink.js';
import { serviceMonitorOptions } from './monitor-options.js';
import { divisionOf } from './roles.js';
import { connectionOptions, kafkaOptions, openSchemas, preparedSource } from './schemas.js';
import { runService } from './service.js';
import { intakeWithin } from './service-intake.js';
import { checkpointStore, markStore } from './state-stores.js';

/** Settings that may differ between the workers of a group, since they do not affect numbers. */
const OF_ONE_PROCESS: ReadonlySet<string> = new Set(['http.host', 'http.port']);
/** User and password in a URL. */
const CREDENTIALS = /\/\/[^/@\s]*@/g;

/** Settings as text by path, without secrets and passwords, to be stored and shown. */
export function statedSettings(
  entries: readonly Pick<ConfigEntry, 'key' | 'path' | 'value'>[],
): StatedSettings {
  const told = entries.filter(
    ({ key, path }) =>
      key.secret !== true && key.commands.includes('serve') && !OF_ONE_PROCESS.has(path),
  );
  return Object.fromEntries(told.map(({ path, value }) => [path, inWords(value)]));
}

function inWords(value: unknown): string | null {
  if (value === undefined) return null;
  const text = Array.isArray(value) && value.every(isPlain) ? value.join(',') : plain(value);
  return text.replaceAll(CREDENTIALS, '//***@');
}

function plain(value: unknown): string {
  return isPlain(value) ? String(value) : JSON.stringify(value);
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object';
}

type MakeSource = (config: Config, io: LoggedIo) => LogSource;

/** Constructors of the logs that a service can read, by name. */
const SOURCES = {
  kafka: (config, io) => new KafkaSource(kafkaOptions(config, io)),
} as const satisfies Readonly<Record<string, MakeSource>>;

type SourceName = keyof typeof SOURCES;

interface ServeOptions {
  readonly source?: SourceName;
  /** Settings of this start, to be compared with those of the last start. */
  readonly entries?: LoadedConfig['entries'];
  /** Path of a file with popularity counts from the past, as the initial state. */
  readonly popularityFrom?: string | undefined;
  /** Part of the work that this process does; everything by default. */
  readonly role?: Role | undefined;
}

/** Log lines that say whether the initial popularity counts were used. */
const SEED_WORDS = {
  planted: 'loaded past popularity counts; the service continues from their end',
  kept: 'did not load past popularity counts, because all partitions already have state',
  others:
    'did not load past popularity counts, because other partitions already have state without them',
} as const;

function seedOf(
  path: string,
  config: Config,
  { log }: LoggedIo,
): NonNullable<PipelineOptions['seed']> {
  return {
    async read() {
      const seed = await readSeed(path, serviceMonitorOptions(config));
      if (seed.through <= Date.now() + config.time.maxFutureMs) return seed;
      const end = new Date(seed.through).toISOString();
      throw new UnskewError('FILE', `cannot use ${path}: its counts end in the future, at ${end}`);
    },
    keys: {
      partitionOf: partitionOfKey,
      arePseudonyms: config.intake.sources.length > 0,
    },
    told(what, through) {
      const until = through && new Date(through).toISOString();
      log[what === 'others' ? 'warn' : 'info'](
        {
          file: path,
          until,
        },
        SEED_WORDS[what],
      );
    },
  };
}

/** `unskew serve`: read a log (Kafka by default), and serve metrics, API and page. */
export async function serve(
  config: Config,
  io: LoggedIo,
  { source = 'kafka', entries, popularityFrom, role }: ServeOptions = {},
): Promise<void> {
  const { kafka } = config;
  if (role !== undefined && popularityFrom !== undefined) {
    throw new UnskewError(
      'USAGE',
      '--popularity-from cannot be combined with --role: start one process without --role, and add roles once its state is saved',
    );
  }
  const reads = role !== 'tick';
  const connection = connectionOptions(config, io);
  const file = propensityFileOf(config);
  const schemas = openSchemas(config, io);
  await runService({
    config,
    io,
    ticks: role === 'read' ? undefined : threadedTicks,
    source: reads ? preparedSource(SOURCES[source](config, io), schemas) : undefined,
    division: role && (await divisionOf(role, config, io)),
    schemas: reads ? schemas : undefined,
    checkpoints: await checkpointStore(config, role === 'tick'),
    marks: await markStore(config),
    settings: entries && statedSettings(entries),
    deadLetters: reads ? openDeadLetters(config, connection) : undefined,
    exports: role === 'read' ? undefined : await serviceExports(config, io),
    propensities:
      file === undefined ? undefined : await WatchedFile.open(file, io.log, readPackedAside),
    seed: popularityFrom === undefined ? undefined : seedOf(popularityFrom, config, io),
    intake: reads ? intakeWithin(config, io, schemas) : undefined,
    onListening: (address) =>
      io.log.info(
        {
          address,
          brokers: kafka.brokers,
        },
        'unskew is up',
      ),
  });
}
