import { brokerError } from '../../adapters/kafka/broker-error.js';
import { type KafkaOptions, kafkaClient } from '../../adapters/kafka/options.js';
import { readRanges } from '../../adapters/kafka/range-reader.js';
import {
  type LostBeginning,
  type OffsetRange,
  offsetsFrom,
} from '../../adapters/kafka/time-range.js';
import { withAdmin } from '../../adapters/kafka/topics.js';
import { UnskewError } from '../../errors.js';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import { Decoder, type DecoderOptions } from '../../events/decode.js';
import { ACCEPTED, FORGOTTEN_USER, IGNORED } from '../../events/fault.js';
import type { SetIds } from '../../export/hashed-ids.js';
import type { SetIntake } from '../../export/intake.js';
import type { TopicSource } from '../../export/manifest.js';
import { startProgress } from '../../outputs/text/progress.js';
import { type ForgottenUsers, refusalOf } from '../../state/ids/forgotten-users.js';
import { Interner } from '../../state/ids/interner.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { RecordBatch } from '../../stream/ports.js';
import type { LoggedIo } from '../cli/io.js';
import { prepared, type Schemas } from '../service/schemas.js';
import type { ReadEvents, SetReader } from './file-reader.js';
import { readCounts } from './file-reader.js';

export interface KafkaReaderOptions {
  readonly kafka: KafkaOptions;
  readonly decoder: DecoderOptions;
  /** Schemas of events framed for a registry; undefined without a registry. */
  readonly schemas: Schemas | undefined;
  /**
   * Where to start: at an event time in ms, or at the offsets in the manifest of an earlier set.
   */
  readonly start: { readonly fromMs: number } | { readonly source: TopicSource };
  /** Whether to read a log even if it no longer contains the start of the range. */
  readonly allowMissing: boolean;
  readonly maxFaults: number;
  readonly onProgress?: (readRecords: number, totalRecords: number) => void;
  /** Load the users to forget, whose events are left out; undefined if there are none. */
  readonly forgotten: () => Promise<ForgottenUsers | undefined>;
  readonly io: LoggedIo;
}

/**
 * Reads a set's interactions from all partitions of the interactions topic. A record's time is at
 * most `maxFuture` before the time of its event. So reading starts `maxFuture` before the range,
 * and goes to the end of the log. Of the events read, those in the range of event times are
 * selected.
 */
export class KafkaSetReader implements SetReader {
  constructor(private readonly options: KafkaReaderOptions) {}

  async read(intake: SetIntake, ids: SetIds): Promise<ReadEvents> {
    const { kafka, io, decoder: how, schemas, maxFaults } = this.options;
    const source = await this.#locate();
    const decoder = new Decoder({
      ...how,
      ...(schemas && { framed: schemas.framed }),
    });
    const outcomes = new Outcomes();
    const into = {
      interactions: new InteractionColumns(),
      exposures: new ExposureColumns(1, 1),
    };
    const { users, items, actions } = ids;
    const forgotten = await this.options.forgotten();
    users.ids.refuses = forgotten && refusalOf(forgotten);
    const tables = {
      users,
      items,
      actions,
      models: new Interner(),
    };
    const ends = new Map(source.partitions.map(({ partition, to }) => [partition, to]));
    let interactions = 0;
    let faults = 0;
    const onBatch = async (batch: RecordBatch): Promise<void> => {
      await prepared(batch, schemas, io.signal);
      const end = ends.get(batch.partition)!;
      for (let r = 0; r < batch.offsets.length && batch.offsets[r] < end; r++) {
        const value = batch.values[r];
        if (value === null) continue;
        const ts = batch.recordTs[r];
        const frame = batch.frames?.get(r);
        const { length } = value;
        const code = decoder.decode(value, 0, length, 'interactions', ts, tables, into, frame);
        if (code === IGNORED) {
          outcomes.ignored++;
        } else if (code !== ACCEPTED && code !== FORGOTTEN_USER) {
          outcomes.faults[code]++;
          if (++faults <= maxFaults) continue;
          const place = `${source.topic}/${batch.partition}@${batch.offsets[r]}`;
          const last = `the last one is ${place}: ${decoder.detail}`;
          throw new UnskewError(
            'FAULTS',
            `more than ${maxFaults} invalid events (--max-faults); ${last}`,
          );
        }
      }
      interactions += into.interactions.length;
      const taken = intake.take(into.interactions, false);
      into.interactions.clear();
      await taken;
    };
    const progress = startProgress(`reading ${source.topic}`, io);
    await readRanges(
      {
        ...kafka,
        ranges: source.partitions,
        signal: io.signal,
        onProgress: (done, total) => {
          progress.update(done, total);
          this.options.onProgress?.(done, total);
        },
      },
      onBatch,
    ).finally(progress.stop);
    return {
      sources: [source],
      counts: readCounts(0, interactions, outcomes),
    };
  }

  async #locate(): Promise<TopicSource> {
    const { kafka, start, decoder, allowMissing } = this.options;
    const topic = kafka.topics.interactions;
    if ('source' in start) {
      await this.#requireHeld(start.source);
      return start.source;
    }
    const fromMs = start.fromMs - decoder.maxFutureMs;
    const { partitions, lost } = await this.#admin((admin) =>
      offsetsFrom(admin, topic, fromMs, Date.now()),
    );
    if (lost.length > 0 && !allowMissing) throw pastRetention(topic, lost);
    return {
      kind: 'kafka',
      topic,
      partitions,
      missing: lost,
    };
  }

  /** Check that the log still contains the offsets of an earlier set. */
  async #requireHeld({ topic, partitions }: TopicSource): Promise<void> {
    const { partitions: held } = await this.#admin((admin) => offsetsFrom(admin, topic, 0, 0));
    const lows = new Map(held.map(({ partition, from }) => [partition, from]));
    const gone = partitions.filter(
      ({ partition, from, to }: OffsetRange) => from < to && (lows.get(partition) ?? to) > from,
    );
    if (gone.length === 0) return;
    const which = gone
      .map(
        ({ partition, from }) => `${partition} (offsets ${from} to ${lows.get(partition) ?? from})`,
      )
      .join(', ');
    throw new UnskewError(
      'BROKER',
      `Kafka deleted records of ${topic} before they were read, in partitions ${which}`,
    );
  }

  async #admin<T>(use: Parameters<typeof withAdmin<T>>[1]): Promise<T> {
    const { kafka } = this.options;
    try {
      return await withAdmin(kafkaClient(kafka), use);
    } catch (error) {
      throw brokerError(`cannot read from Kafka at ${kafka.brokers.join(', ')}`, error);
    }
  }
}

function pastRetention(topic: string, lost: readonly LostBeginning[]): UnskewError {
  const where = lost
    .map(({ partition, low, lowTs }) => {
      const at = lowTs === null ? 'and is empty' : `about ${new Date(lowTs).toISOString()}`;
      return `partition ${partition} begins at offset ${low}, ${at}`;
    })
    .join('; ');
  const mend = 'use a later --from, or accept the missing part with --allow-missing';
  return new UnskewError('SET', `${topic} may no longer hold the whole range: ${where}; ${mend}`);
}
