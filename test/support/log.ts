import { Decoder } from '../../src/events/decode.js';
import { type ExposureEvent, encodeEvent, type InteractionEvent } from '../../src/events/encode.js';
import type { RatingOptions } from '../../src/features/ratings/rating-options.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import type { RecordBatch, TopicRole } from '../../src/stream/ports.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { IS_LONG } from './repetitions.js';

export type Event = ExposureEvent | InteractionEvent;

export const roleOf = (event: Event): TopicRole =>
  event.type === 'exposure' ? 'exposures' : 'interactions';

/** Any function of the user serves as a partitioner, as long as it is one. */
export function partitionOf(user: string, partitions: number): number {
  let hash = 17;
  for (const character of user) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return hash % partitions;
}

export interface Feed {
  readonly partitions: number;
  readonly batchSize: number;
  /** How many batches of a topic-partition come in a row before another has its turn. */
  readonly run: number;
  /** Done before the first event. */
  readonly begin?: (ingest: Ingest) => void;
  /** When the log took an event in, ms; left out: at any time after it happened. */
  readonly recordTsOf?: ((event: Event) => number) | undefined;
  /** What actions are worth, where the decoder is to know it. */
  readonly actions?: Readonly<Record<string, number>> | undefined;
}

/** The records of a topic-partition. */
interface Queue {
  readonly role: TopicRole;
  readonly partition: number;
  readonly values: Uint8Array[];
  readonly recordTs: number[];
}

export interface Fed {
  readonly snapshots: Snapshot[];
  readonly outcomes: Outcomes;
  readonly unranked: number;
  readonly overUserCap: number;
  readonly listsLeftOut: number;
  /** Events of both topics that left no row and no list. */
  readonly sampledOut: number;
}

/**
 * Feeds a log (in log order, events or raw bytes with a role) to a new monitor as a broker would
 * hand it over, topic-partition by topic-partition, and closes panes as the watermark allows.
 */
export function feed(log: readonly Event[], options: MonitorOptions, how: Feed): Fed {
  const decoder = new Decoder({
    maxFutureMs: 1e15,
    ...(how.actions && { actions: how.actions }),
    ...(options.pseudonyms && { pseudonyms: options.pseudonyms }),
    ...(options.ratings && { ratings: options.ratings.scale }),
    ...(options.segments && { segments: options.segments.dimensions.map(({ name }) => name) }),
  });
  const topics = { exposures: 'e', interactions: 'i' };
  const ingest = new Ingest(options, decoder, topics, how.partitions);
  const queues = new Map<string, Queue>();
  for (let partition = 0; partition < how.partitions; partition++) {
    for (const role of ['exposures', 'interactions'] as const) {
      ingest.monitor.watermarks.expect(role, partition);
      queues.set(`${role}/${partition}`, { role, partition, values: [], recordTs: [] });
    }
  }
  how.begin?.(ingest);
  for (const event of log) {
    const key = `${roleOf(event)}/${partitionOf(event.user, how.partitions)}`;
    const queue = queues.get(key)!;
    queue.values.push(Buffer.from(encodeEvent(event)));
    queue.recordTs.push(how.recordTsOf?.(event) ?? 0);
  }
  const snapshots: Snapshot[] = [];
  const outcomes = new Outcomes();
  let unranked = 0;
  let overUserCap = 0;
  let listsLeftOut = 0;
  let sampledOut = 0;
  const close = (flush: boolean) => {
    for (;;) {
      const pane = ingest.monitor.closable(flush);
      if (pane === undefined) return;
      const closed = runAtOnce(ingest.monitor.close(pane));
      for (let due = ingest.dueSweep(); due; due = ingest.dueSweep()) runAtOnce(due.run());
      if (closed === undefined) continue;
      outcomes.addRequests(closed.requests);
      snapshots.push(closed.snapshot);
      unranked += closed.unranked;
      overUserCap += closed.overUserCap;
      listsLeftOut += closed.listsLeftOut;
      sampledOut += closed.sampledOut.interactions + closed.sampledOut.exposures;
    }
  };
  const positions = new Map<string, number>();
  let left = true;
  while (left) {
    left = false;
    for (const [key, queue] of queues) {
      for (let n = 0; n < how.run; n++) {
        const from = positions.get(key) ?? 0;
        const values = queue.values.slice(from, from + how.batchSize);
        if (values.length === 0) break;
        left = true;
        positions.set(key, from + values.length);
        const applied = runAtOnce(
          ingest.apply(batchOf(queue, from, values), () => Number.POSITIVE_INFINITY),
        );
        outcomes.accepted += applied.outcomes.accepted;
        outcomes.late += applied.outcomes.late;
        outcomes.duplicate += applied.outcomes.duplicate;
        close(false);
      }
    }
  }
  close(true);
  return { snapshots, outcomes, unranked, overUserCap, listsLeftOut, sampledOut };
}

function batchOf(
  { role, partition, values: all, recordTs }: Queue,
  from: number,
  values: Uint8Array[],
): RecordBatch {
  return {
    role,
    partition,
    offsets: Float64Array.from(values, (_, r) => from + r),
    values,
    recordTs: Float64Array.from(recordTs.slice(from, from + values.length)),
    highWatermark: all.length,
  };
}

/** The default settings, quick and small. */
export function smallOptions(overrides: Partial<MonitorOptions> = {}): MonitorOptions {
  return {
    tickMs: 10,
    windows: [
      { name: 'short', ms: 20 },
      { name: 'long', ms: 60 },
    ],
    latenessMs: 5,
    dedupeTtlMs: 100,
    attributionTtlMs: 50,
    popularity: { horizonMs: 600, of: 'positive' },
    positiveMinValue: 1,
    gamma: { use: 'fit', fit: 'ols', default: 2, periodMs: 60 },
    catalogueSize: undefined,
    baseline: 'none',
    maxModels: 16,
    estimates: {
      metrics: ['recall', 'dcg', 'mrr', 'auc'],
      ks: [1, 2],
      estimators: ['naive', 'snips', 'gs', 'skew', 'wtd_h'],
      interval: 't-logit',
      guarantees: [],
      reference: undefined,
      strata: 3,
      strataScheme: 'popularity-width',
      cold: 'smooth',
      smoothing: 0.5,
      sampleShare: 0.5,
      posteriorExponent: 2,
    },
    ...overrides,
  };
}

/**
 * By these two differ the rows, the counts of items, of either kind, and those of users: what one of
 * the others is made of beside follows from them.
 */
const QUICK_ESTIMATORS = ['snips', 'wtd_h'] as const;

/** The same with few numbers: most of a stream's time goes into the estimates of its ticks. */
export function quickOptions(overrides: Partial<MonitorOptions> = {}): MonitorOptions {
  const { estimates } = smallOptions();
  const quick: MonitorOptions['estimates'] = {
    ...estimates,
    estimators: IS_LONG ? estimates.estimators : QUICK_ESTIMATORS,
    ...overrides.estimates,
    metrics: ['dcg', 'auc'],
    ks: [2],
  };
  return { ratings: QUICK_RATINGS, ...smallOptions(overrides), estimates: quick };
}

/** Values of 0 and 1 are ratings too. By day one number of them: others add up the same rows. */
const QUICK_RATINGS: RatingOptions = {
  metrics: IS_LONG ? ['mae', 'cg'] : ['mae'],
  ks: [2],
  estimators: IS_LONG ? ['naive', 'snips'] : ['snips'],
  propensity: 'logged',
  scale: { lowest: 0, highest: 1, step: 1 },
  smoothing: 1,
  isCatalogueKnown: false,
};

/** What to override where naive itself is looked at, or its gap to another. */
export function withNaive(): Pick<MonitorOptions, 'estimates'> {
  const { estimates } = smallOptions();
  return {
    estimates: IS_LONG ? estimates : { ...estimates, estimators: ['naive', ...QUICK_ESTIMATORS] },
  };
}

const FOUR_ITEMS = { items: ['a', 'b', 'c', 'd'], scores: [0.9, 0.7, 0.4, 0.2] };

/** Lists of three models by turns and three clicks for each, of nine users. */
export function threeModels(events: number): readonly Event[] {
  return Array.from({ length: events }, (_, n): Event => {
    const user = `u${n % 9}`;
    const ts = 1000 + n * 3;
    return n % 4 === 0
      ? { type: 'exposure', id: `e${n}`, ts, user, model: `m${n % 3}`, ...FOUR_ITEMS }
      : { type: 'interaction', id: `x${n}`, ts, user, item: 'abcde'[n % 5]!, value: 1 };
  });
}

/** What `quickOptions` need of events. */
export function quickDecoder(maxFutureMs = 1e15): Decoder {
  return new Decoder({ maxFutureMs, ratings: QUICK_RATINGS.scale });
}
