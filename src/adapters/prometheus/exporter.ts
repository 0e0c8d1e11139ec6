import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { FAULT_REASONS } from '../../events/fault.js';
import { CHECKPOINT_OUTCOMES, type CheckpointEvent } from '../../stream/checkpoint/checkpointer.js';
import type { Snapshot } from '../../stream/snapshot.js';
import { DRIFT_SERIES } from './drift-series.js';
import { gaugesText } from './exposition.js';
import { SNAPSHOT_SERIES } from './snapshot-series.js';

/** Every gauge that is read off the newest snapshot. */
const GAUGES = [...SNAPSHOT_SERIES, ...DRIFT_SERIES];

/** What became of an event: the closed set of the label `outcome`. */
export const EVENT_OUTCOMES = [
  'duplicate',
  'late',
  'unranked',
  'ignored',
  'over_item_limit',
  ...FAULT_REASONS,
] as const;

const DEAD_LETTER_OUTCOMES = ['written', 'failed', 'discarded'] as const;
export type DeadLetterOutcome = (typeof DEAD_LETTER_OUTCOMES)[number];

export interface ExporterOptions {
  /** How many models may be label values; series of more are dropped and counted. */
  readonly maxModels: number;
  readonly version: string;
  /** Topics whose event counters start at 0, so that a first rise is seen as one. */
  readonly topics: readonly string[];
  /** Seconds since all partitions were last kept in a store; undefined where there is none. */
  readonly checkpointAge?: () => number | undefined;
}

/** Stands for all models together in the series of fits; it is no model and takes no place. */
const ALL_MODELS = '*';

const SECONDS_BUCKETS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4];

/** The metrics of one process: gauges follow the newest snapshot, counters are raised a batch at a time. */
export class Exporter {
  readonly registry = new Registry();
  private readonly maxModels: number;
  private snapshot: Snapshot | undefined;
  /** The newest snapshot's gauges as text, once somebody has asked. */
  private gauges: string | undefined;
  private models: ReadonlySet<string> = new Set();

  private readonly eventsTotal = this.counter(
    'unskew_events_total',
    'Events by what became of them',
    ['topic', 'outcome'],
  );
  private readonly deadLettersTotal = this.counter(
    'unskew_dead_letters_total',
    'Refused events by what became of their dead letter',
    ['outcome'],
  );
  private readonly gapRecordsTotal = this.counter(
    'unskew_gap_records_total',
    'Records that the log no longer held when they were due',
    ['topic', 'partition'],
  );
  private readonly checkpointsTotal = this.counter(
    'unskew_checkpoints_total',
    'Checkpoints of partitions by what became of them',
    ['outcome'],
  );
  private readonly seriesDroppedTotal = this.counter(
    'unskew_series_dropped_total',
    'Series left out of a snapshot because there are more models than may be labels',
    [],
  );
  private readonly listsDroppedTotal = this.counter(
    'unskew_lists_dropped_total',
    'Lists that were not taken up because there are more models than are kept',
    [],
  );
  private readonly sampledOutTotal = this.counter(
    'unskew_sampled_out_events_total',
    'Events that count in popularity alone, as their users are outside the sample',
    ['topic'],
  );
  private readonly watermarkSeconds = this.gauge(
    'unskew_watermark_seconds',
    'Newest event time of a partition, in Unix seconds',
  );
  private readonly lagRecords = this.gauge(
    'unskew_consumer_lag_records',
    'Records of a partition that are not read yet',
  );
  private readonly tickDuration = this.histogram(
    'unskew_tick_duration_seconds',
    'Time that the estimates of one pane took',
  );
  private readonly ingestStall = this.histogram(
    'unskew_ingest_stall_seconds',
    'Time that a tick kept events waiting without a break',
  );

  constructor({ maxModels, version, topics, checkpointAge }: ExporterOptions) {
    this.maxModels = maxModels;
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'unskew_build_info',
      help: 'Always 1; the version is a label',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version, node: process.version }, 1);
    for (const topic of topics) {
      for (const outcome of EVENT_OUTCOMES) this.eventsTotal.inc({ topic, outcome }, 0);
      this.sampledOutTotal.inc({ topic }, 0);
    }
    for (const outcome of DEAD_LETTER_OUTCOMES) this.deadLettersTotal.inc({ outcome }, 0);
    if (checkpointAge !== undefined) this.registerCheckpoints(checkpointAge);
  }

  /** Makes a snapshot the newest; the gauges show it from the next scrape on. */
  update(snapshot: Snapshot): void {
    this.models = this.admitted(snapshot);
    this.snapshot = snapshot;
    this.gauges = undefined;
    if (snapshot.models.length > this.models.size) {
      let dropped = 0;
      for (const series of GAUGES) {
        for (const [{ model }] of series.samples(snapshot)) if (!this.shows(model)) dropped++;
      }
      this.seriesDroppedTotal.inc(dropped);
    }
  }

  /** Shows no snapshot any more, until there is a newer one. */
  withdraw(): void {
    this.snapshot = undefined;
    this.gauges = undefined;
  }

  /** @param outcome one of `EVENT_OUTCOMES` */
  events(topic: string, outcome: string, count: number): void {
    this.eventsTotal.inc({ topic, outcome }, count);
  }

  /** Exposures whose list was not taken up, because their model came after as many as are kept. */
  listsDropped(count: number): void {
    this.listsDroppedTotal.inc(count);
  }

  sampledOut(topic: string, count: number): void {
    this.sampledOutTotal.inc({ topic }, count);
  }

  deadLetters(outcome: DeadLetterOutcome, count: number): void {
    this.deadLettersTotal.inc({ outcome }, count);
  }

  checkpoint(outcome: CheckpointEvent['outcome']): void {
    this.checkpointsTotal.inc({ outcome });
  }

  gap(topic: string, partition: number, records: number): void {
    this.gapRecordsTotal.inc({ topic, partition }, records);
  }

  watermark(topic: string, partition: number, unixSeconds: number): void {
    this.watermarkSeconds.set({ topic, partition }, unixSeconds);
  }

  lag(topic: string, partition: number, records: number): void {
    this.lagRecords.set({ topic, partition }, records);
  }

  /** A partition that is another process's now must not keep a lag and a watermark here. */
  forget(topic: string, partition: number): void {
    this.watermarkSeconds.remove({ topic, partition });
    this.lagRecords.remove({ topic, partition });
  }

  tick(seconds: number): void {
    this.tickDuration.observe(seconds);
  }

  stall(seconds: number): void {
    this.ingestStall.observe(seconds);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The page that Prometheus scrapes; the gauges of a snapshot are written once. */
  async metrics(): Promise<string> {
    const own = await this.registry.metrics();
    this.gauges ??= gaugesText(GAUGES, this.snapshot, (model) => this.shows(model));
    return `${own}\n${this.gauges}`;
  }

  /** Models keep their place while they last, so that no series flaps; free places go in order. */
  private admitted({ models }: Snapshot): ReadonlySet<string> {
    const kept = models.filter((model) => this.models.has(model));
    const fresh = models.filter((model) => !this.models.has(model));
    return new Set([...kept, ...fresh].slice(0, this.maxModels));
  }

  private shows(model: string | number | undefined): boolean {
    if (model === undefined || model === '' || model === ALL_MODELS) return true;
    if (model === this.snapshot?.baseline) return true;
    return this.models.has(String(model));
  }

  private registerCheckpoints(age: () => number | undefined): void {
    for (const outcome of CHECKPOINT_OUTCOMES) this.checkpointsTotal.inc({ outcome }, 0);
    const gauge: Gauge = new Gauge({
      name: 'unskew_checkpoint_age_seconds',
      help: 'Time since the partition that waits longest was kept as it is',
      registers: [this.registry],
      collect: () => {
        const seconds = age();
        if (seconds === undefined) gauge.remove();
        else gauge.set(seconds);
      },
    });
  }

  private counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({
      name,
      help,
      labelNames: ['topic', 'partition'],
      registers: [this.registry],
    });
  }

  private histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: SECONDS_BUCKETS, registers: [this.registry] });
  }
}
