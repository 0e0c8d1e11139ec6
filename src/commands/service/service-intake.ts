import type { Registry } from 'prom-client';
import {
  KafkaShuffle,
  type PartsOptions,
  type Prepare,
} from '../../adapters/kafka/kafka-shuffle.js';
import { KafkaWriter } from '../../adapters/kafka/writer.js';
import { partsTopicOf } from '../../config/keys/intake.js';
import type { Config } from '../../config.js';
import { FAULT_REASONS } from '../../events/fault.js';
import type { SchemaTable } from '../../events/formats/schema.js';
import { Pseudonyms } from '../../events/pseudonyms.js';
import { intakeSeries } from '../../outputs/prometheus/intake-series.js';
import type { IntakeFacts } from '../../rows/findings/facts.js';
import { LONGEST_LIST_GAPS } from '../../stream/intake/open-lists.js';
import { Shuffle, type ShuffleSource, type ShuffleWatch } from '../../stream/intake/shuffle.js';
import { Patience } from '../../stream/patience.js';
import type { LoggedIo } from '../cli/io.js';
import { deadLetterSink } from './dead-letter-sink.js';
import type { Schemas } from './schemas.js';
import { connectionOptions } from './schemas.js';

const REJECTED: ReadonlySet<string> = new Set(FAULT_REASONS);

/**
 * Intake of one process: copies events of source topics, in other formats, to the internal topics.
 */
export class ServiceIntake {
  readonly #shuffle: KafkaShuffle;
  readonly #topics: readonly string[];
  readonly #patience: Patience;
  /** Text of the last logged failure; undefined while the intake can write. */
  #told: string | undefined;
  #watch: ShuffleWatch | undefined;
  readonly #counts = {
    rejected: 0,
    ignored: 0,
  };

  constructor(
    config: Config,
    private readonly io: LoggedIo,
    private readonly schemas: Schemas | undefined,
  ) {
    const sources = shuffleSources(config, schemas?.framed.schemas);
    const connection = connectionOptions(config, io);
    const { kafka, intake } = config;
    const { exposures, interactions } = kafka.topics;
    const parts = partsOptions(config);
    this.#topics = [...sources.map(({ topic }) => topic), ...(parts ? [parts.topic] : [])];
    const options = {
      ...connection,
      sources: sources.map(({ topic }) => topic),
      topics: { exposures, interactions },
      groupId: `${kafka.groupId}.intake`,
      partitions: intake.partitions,
      start: kafka.start,
      sessionTimeoutMs: kafka.sessionTimeoutMs,
      maxBytesPerPartition: kafka.maxBytesPerPartition,
      maxUnpackedBytes: kafka.maxUnpackedBytes,
      maxAheadMs: MOST_AHEAD_MS,
      parts,
      deadLetters: config.deadLetters.to === 'topic' ? kafka.topics.deadLetter : undefined,
    };
    const patience = new Patience({ onChange: (error) => this.#tell(error?.message) });
    this.#patience = patience;
    this.#shuffle = new KafkaShuffle(options, new Shuffle(sources), {
      writer: new KafkaWriter(connection, patience),
      letters: deadLetterSink(config, connection, patience),
      prepare: preparation(config, schemas),
      watch: {
        records: (topic, outcomes) => {
          this.#count(outcomes);
          this.#watch?.records(topic, outcomes);
        },
        stands: (...seen) => this.#watch?.stands(...seen),
      },
    });
  }

  register(registry: Registry): void {
    this.#watch = intakeSeries(registry, this.#topics);
  }

  /** @throws UnskewError BROKER if a source is missing, or Kafka cannot be reached */
  start(): Promise<void> {
    return this.#shuffle.start();
  }

  stop(): Promise<void> {
    this.#patience.end();
    return this.#shuffle.stop();
  }

  /** Number of records that were read from the source topics and not written. */
  get facts(): IntakeFacts {
    return this.#counts;
  }

  #count(outcomes: ReadonlyMap<string, number>): void {
    for (const [outcome, count] of outcomes) {
      if (outcome === 'ignored' || outcome === 'anonymous') {
        this.#counts.ignored += count;
      } else if (REJECTED.has(outcome)) {
        this.#counts.rejected += count;
      }
    }
  }

  #tell(trouble: string | undefined): void {
    if (trouble === this.#told) return;
    this.#told = trouble;
    if (trouble === undefined) {
      this.io.log.info('the intake can write again');
    } else {
      this.io.log.error({ reason: trouble }, 'the intake cannot write; retrying');
    }
  }

  /** Readiness check of the intake. */
  get check(): {
    readonly name: string;
    readonly ok: boolean;
    readonly detail?: string;
  } {
    const { isReady, error } = this.#shuffle;
    const detail =
      this.#patience.trouble?.reason ?? this.schemas?.preparer.trouble ?? error?.message;
    return {
      name: 'intake',
      ok: isReady && detail === undefined,
      ...(detail && { detail }),
    };
  }
}

/** Create the intake. Undefined without source topics, or if another process reads these. */
export function intakeWithin(
  config: Config,
  io: LoggedIo,
  schemas: Schemas | undefined,
): ServiceIntake | undefined {
  const { sources, inServe } = config.intake;
  return sources.length > 0 && inServe ? new ServiceIntake(config, io, schemas) : undefined;
}

/** Create a step that delays records with a schema id until their schemas are loaded. */
function preparation({ intake }: Config, schemas: Schemas | undefined): Prepare {
  const framed = new Set(
    intake.sources.flatMap(({ topics, format }) => (format === 'json' ? [] : topics)),
  );
  return async (topic, records) => {
    if (schemas === undefined || !framed.has(topic)) return true;
    const frames = records.flatMap(({ frame }, r) => (frame ? [[r, frame] as const] : []));
    const values = records.map(({ value }) => value);
    return schemas.preparer.prepareRecords({
      values,
      frames: new Map(frames),
    });
  };
}

/** Maximum lead of one source topic over the slowest one, event time, ms. */
const MOST_AHEAD_MS = 600_000;

/**
 * Maximum number of impressions of one partition that are buffered until their lists are complete.
 */
const MOST_PARTS = 1_000_000;

/**
 * Number of records between two recorded offsets. After a restart, impressions are read again from
 * one of these offsets.
 */
const NOTE_EVERY = 1024;

/** Options for assembling lists from single impressions; undefined if no source has impressions. */
function partsOptions({ intake, kafka, time }: Config): PartsOptions | undefined {
  const holding = intake.sources.filter(({ mapping }) => mapping?.impression !== undefined);
  if (holding.length === 0) return undefined;
  const { gapMs, firstPlace } = intake.lists;
  const limits = {
    maxParts: MOST_PARTS,
    firstPlace,
    noteEvery: NOTE_EVERY,
  };
  return {
    topic: partsTopicOf(kafka.topics),
    sources: holding.flatMap(({ topics }) => topics),
    assembly: {
      gapMs,
      withinMs: LONGEST_LIST_GAPS * gapMs,
      latenessMs: time.latenessMs,
      ...limits,
    },
  };
}

/** Build the reading options of each topic in `intake.sources`. */
export function shuffleSources(
  { intake, events, time }: Pick<Config, 'intake' | 'events' | 'time'>,
  schemas: SchemaTable | undefined,
): ShuffleSource[] {
  const { maxBytes: maxEventBytes } = events;
  const { maxFutureMs } = time;
  const pseudonyms = events.pseudonyms && new Pseudonyms(events.pseudonyms);
  const limits = {
    maxEventBytes,
    maxFutureMs,
    schemas,
    pseudonyms,
  };
  return intake.sources.flatMap(({ topics, events: kind, format, mapping }) =>
    topics.map((topic) => ({
      topic,
      events: kind,
      format,
      mapping,
      ...limits,
    })),
  );
}
