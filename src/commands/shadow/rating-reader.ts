import { brokerError } from '../../adapters/kafka/broker-error.js';
import { kafkaClient } from '../../adapters/kafka/options.js';
import { readRanges } from '../../adapters/kafka/ranges/range-reader.js';
import { offsetsFrom } from '../../adapters/kafka/ranges/time-range.js';
import { withAdmin } from '../../adapters/kafka/with-admin.js';
import type { Config } from '../../config.js';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import { Decoder } from '../../events/decode.js';
import { Interner } from '../../state/ids/interner.js';
import type { RecordBatch } from '../../stream/ports.js';
import { kafkaOptions } from '../export/reading.js';
import { openSchemas, prepared } from '../service/formats/schemas.js';
import { decoderOptions } from '../service/monitor-options.js';
import type { NightContext } from '../threads/night-work.js';
import { BoundedRatings } from './bounded-ratings.js';

/**
 * Reads the interactions of a range from all partitions of their topic, as a nightly set is read.
 * What the log no longer holds is not learned from; faulty events are passed over, since the service
 * itself reports them.
 */
export async function readRatings({
  config,
  order: { from, to },
  io,
  onProgress,
}: NightContext): Promise<BoundedRatings> {
  const kafka = kafkaOptions(config, io);
  const schemas = openSchemas(config, io);
  const framed = schemas && { framed: schemas.framed };
  const decoder = new Decoder({ ...decoderOptions(config), ...framed });
  const kept = new BoundedRatings({
    ...{ from, to, most: config.shadow.ratings, items: config.limits.items },
  });
  const tables = { users: kept.users, items: kept.items, models: new Interner() };
  const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns(1, 1) };
  const { partitions: ranges } = await located(config, kafka, from);
  const ends = new Map(ranges.map((range) => [range.partition, range.to]));
  const onBatch = async (batch: RecordBatch): Promise<void> => {
    await prepared(batch, schemas, io.signal);
    const { partition, offsets, values, recordTs, frames } = batch;
    const end = ends.get(partition)!;
    into.interactions.clear();
    for (let r = 0; r < offsets.length && offsets[r] < end; r++) {
      const value = values[r];
      if (value === null) continue;
      const [ts, frame] = [recordTs[r], frames?.get(r)];
      decoder.decode(value, 0, value.length, 'interactions', ts, tables, into, frame);
    }
    kept.take(into.interactions);
  };
  await readRanges(
    {
      ...{ ...kafka, ranges, signal: io.signal },
      onProgress: (done, total) => onProgress({ step: 'reading', done, total }),
    },
    onBatch,
  );
  return kept;
}

/** A record is at most `maxFuture` older than its event. */
async function located(config: Config, kafka: ReturnType<typeof kafkaOptions>, from: number) {
  const fromMs = from - config.time.maxFutureMs;
  try {
    return await withAdmin(kafkaClient(kafka), (admin) =>
      offsetsFrom(admin, kafka.topics.interactions, fromMs, Date.now()),
    );
  } catch (error) {
    throw brokerError(`cannot read from Kafka at ${kafka.brokers.join(', ')}`, error);
  }
}
