import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { FAULT_REASONS } from '../../events/fault.js';
import { REQUEST_FAULTS, type RequestTally } from '../../state/requests/request-faults.js';
import { CHECKPOINT_OUTCOMES, type CheckpointEvent } from '../../stream/checkpoint/checkpointer.js';
import type { ChangedLog, Flow } from '../../stream/flow.js';
import type { TopicRole } from '../../stream/ports.js';
import type { AppliedBatch } from '../../stream/read/ingest.js';
import type { LogContact } from '../../stream/read/log-contact.js';
import type { TimedPane } from '../../stream/read/pane-closer.js';

/** Values of the label `outcome`: what happened to an event. */
export const EVENT_OUTCOMES = [
  'duplicate',
  'late',
  'unranked',
  'over_user_cap',
  'ignored',
  'over_item_limit',
  'forgotten',
  'tombstone',
  ...FAULT_REASONS,
] as const;

const FAULTS: ReadonlySet<string> = new Set(
  FAULT_REASONS.filter((reason) => reason !== 'accepted'),
);

/** Values of the label `kind`: what happened to a log while the service did not read it. */
const LOG_CHANGES = ['truncated', 'recreated', 'extended'] as const;

const DEAD_LETTER_OUTCOMES = ['written', 'failed', 'discarded'] as const;
export type DeadLetterOutcome = (typeof DEAD_LETTER_OUTCOMES)[number];

const SECONDS_BUCKETS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4];

/** Metrics of the pipeline: counters, histograms and gauges, updated per batch. */
export class StreamSeries {
  private readonly registry: Registry;
  private readonly eventsTotal: Counter;
  private readonly eventsUnaccounted: Gauge;
  private readonly faultsTotal: Counter;
  private readonly deadLettersTotal: Counter;
  private readonly gapRecordsTotal: Counter;
  private readonly logChangesTotal: Counter;
  private readonly checkpointsTotal: Counter;
  private readonly seriesDroppedTotal: Counter;
  private readonly listsDroppedTotal: Counter;
  private readonly modelsDropped: Gauge;
  private readonly sampledOutTotal: Counter;
  private readonly requestFaultsTotal: Counter;
  private readonly requestsSampledOutTotal: Counter;
  private readonly watermarkSeconds: Gauge;
  private readonly lagRecords: Gauge;
  private readonly tickDuration: Histogram;
  private readonly ingestStall: Histogram;
  private contact: LogContact | undefined;
  private topics: Readonly<Record<TopicRole, string>> | undefined;

  /** @param topics topics whose event counters start at 0, so that the first increase is visible */
  constructor(registry: Registry, topics: readonly string[]) {
    this.registry = registry;
    this.eventsTotal = this.counter('unskew_events_total', 'Events read, by outcome', [
      'topic',
      'outcome',
    ]);
    this.eventsUnaccounted = new Gauge({
      name: 'unskew_events_unaccounted',
      help: 'Events read minus events that unskew_events_total counts; not 0 means a bug',
      labelNames: ['topic'],
      registers: [registry],
    });
    this.faultsTotal = this.counter('unskew_faults_total', 'Invalid events, by reason', [
      'topic',
      'reason',
    ]);
    this.deadLettersTotal = this.counter(
      'unskew_dead_letters_total',
      'Invalid events, by what happened to their dead letter',
      ['outcome'],
    );
    this.gapRecordsTotal = this.counter(
      'unskew_gap_records_total',
      'Records that Kafka deleted before they were read',
      ['topic', 'partition'],
    );
    this.logChangesTotal = this.counter(
      'unskew_log_changes_total',
      'Number of times that a topic’s log was found truncated, recreated or extended',
      ['topic', 'kind'],
    );
    this.checkpointsTotal = this.counter(
      'unskew_checkpoints_total',
      'Checkpoints of partitions, by outcome',
      ['outcome'],
    );
    this.seriesDroppedTotal = this.counter(
      'unskew_series_dropped_total',
      'Metric series left out because there are more models than models.max',
      [],
    );
    this.listsDroppedTotal = this.counter(
      'unskew_lists_dropped_total',
      'Lists left out because there are more models than models.max',
      [],
    );
    this.modelsDropped = new Gauge({
      name: 'unskew_models_dropped',
      help: 'Number of models left out because there are more than models.max; a lower bound',
      registers: [registry],
    });
    this.sampledOutTotal = this.counter(
      'unskew_sampled_out_events_total',
      'Events of users outside the sample; they count only towards popularity',
      ['topic'],
    );
    this.requestFaultsTotal = this.counter(
      'unskew_request_faults_total',
      'Requests, lists and rewards that cannot be used for reward per request, by reason',
      ['reason'],
    );
    this.requestsSampledOutTotal = this.counter(
      'unskew_sampled_out_requests_total',
      'Requests dropped because there were more than limits.requests',
      [],
    );
    for (const reason of REQUEST_FAULTS) {
      this.requestFaultsTotal.inc({ reason }, 0);
    }
    this.watermarkSeconds = this.gauge(
      'unskew_watermark_seconds',
      'Newest event time of a partition, in Unix seconds',
    );
    this.lagRecords = this.gauge(
      'unskew_consumer_lag_records',
      'Unread records of a partition; NaN while unknown',
      () => this.showLags(),
    );
    this.tickDuration = this.histogram(
      'unskew_tick_duration_seconds',
      'Time to compute the estimates of one pane',
    );
    this.ingestStall = this.histogram(
      'unskew_ingest_stall_seconds',
      'Time that a tick kept events waiting without a break',
    );
    for (const topic of topics) {
      for (const outcome of EVENT_OUTCOMES) {
        this.events(topic, outcome, 0);
      }
      this.eventsUnaccounted.set({ topic }, 0);
      this.sampledOutTotal.inc({ topic }, 0);
      for (const kind of LOG_CHANGES) {
        this.logChangesTotal.inc({ topic, kind }, 0);
      }
    }
    for (const outcome of DEAD_LETTER_OUTCOMES) {
      this.deadLettersTotal.inc({ outcome }, 0);
    }
  }

  /** Update the metrics from a pipeline from now on, under the names of its topics. */
  follow(pipeline: Flow, topics: Readonly<Record<TopicRole, string>>): void {
    this.contact = pipeline.contact;
    this.topics = topics;
    pipeline.applied$.subscribe((applied) => {
      const topic = topics[applied.role];
      // Only the process that reads an event counts it, so a sum over processes counts each event
      // once.
      if (pipeline.sharing?.reads !== false) {
        this.batch(applied, topic);
      }
      this.newest(topic, applied.partition, applied.newestTs);
    });
    pipeline.gaps$.subscribe(({ role, partition, records }) => {
      this.gap(topics[role], partition, records);
    });
    pipeline.logChanges$.subscribe((change) => this.logChanged(change, topics));
    pipeline.ticks$.subscribe((pane) => {
      if (pipeline.sharing?.evaluates !== false) {
        this.pane(pane, topics);
      }
      this.tick(pane.seconds);
      if (pane.longestSliceSeconds !== undefined) {
        this.stall(pane.longestSliceSeconds);
      }
    });
    pipeline.checkpointer?.events$.subscribe(({ outcome }) => this.checkpoint(outcome));
    this.followAssignments(pipeline, topics);
  }

  private followAssignments(pipeline: Flow, topics: Readonly<Record<TopicRole, string>>): void {
    let held: readonly number[] = [];
    pipeline.assigned$.subscribe((partitions) => {
      for (const lost of held.filter((partition) => !partitions.includes(partition))) {
        for (const topic of Object.values(topics)) {
          this.forget(topic, lost);
        }
      }
      held = partitions;
      for (const role of ['exposures', 'interactions'] as const) {
        for (const partition of partitions) {
          this.gap(topics[role], partition, 0);
          // The newest event time comes from the stored state, since there may be no further event.
          this.newest(topics[role], partition, pipeline.newestOf(role, partition));
        }
      }
    });
  }

  /** Count events of a topic with an outcome. @param outcome one of `EVENT_OUTCOMES` */
  events(topic: string, outcome: string, count: number): void {
    this.eventsTotal.inc({ topic, outcome }, count);
    if (FAULTS.has(outcome)) {
      this.faultsTotal.inc(
        {
          topic,
          reason: outcome,
        },
        count,
      );
    }
  }

  /**
   * Record what the limit of models left out of a closed pane: the number of models, and the number
   * of their lists.
   */
  dropped(models: number, lists: number): void {
    this.modelsDropped.set(models);
    this.listsDroppedTotal.inc(lists);
  }

  /**
   * Count the series of a snapshot that are not shown because too many models would be label
   * values.
   */
  seriesDropped(count: number): void {
    this.seriesDroppedTotal.inc(count);
  }

  sampledOut(topic: string, count: number): void {
    this.sampledOutTotal.inc({ topic }, count);
  }

  /** Count the outcomes of the requests of a closed pane. */
  requests({ faults, sampledOut }: RequestTally): void {
    for (const [reason, count] of faults) {
      this.requestFaultsTotal.inc({ reason }, count);
    }
    this.requestsSampledOutTotal.inc(sampledOut);
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

  private logChanged(change: ChangedLog, topics: Readonly<Record<TopicRole, string>>): void {
    const { kind } = change;
    const of = kind === 'extended' ? Object.values(topics) : [topics[change.role]];
    for (const topic of of) {
      this.logChangesTotal.inc({ topic, kind });
    }
  }

  watermark(topic: string, partition: number, unixSeconds: number): void {
    this.watermarkSeconds.set({ topic, partition }, unixSeconds);
  }

  lag(topic: string, partition: number, records: number): void {
    this.lagRecords.set({ topic, partition }, records);
  }

  /** Remove the lag and watermark of a partition that another process reads now. */
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

  /**
   * Register the metrics of checkpoints. @param age returns seconds since the last checkpoint of
   * all partitions
   */
  registerCheckpoints(age: () => number | undefined): void {
    for (const outcome of CHECKPOINT_OUTCOMES) {
      this.checkpointsTotal.inc({ outcome }, 0);
    }
    const gauge: Gauge = new Gauge({
      name: 'unskew_checkpoint_age_seconds',
      help: 'Age of the last checkpoint, the oldest among the partitions of this process',
      registers: [this.registry],
      collect: () => {
        const seconds = age();
        if (seconds === undefined) {
          gauge.remove();
        } else {
          gauge.set(seconds);
        }
      },
    });
  }

  private batch(applied: AppliedBatch, topic: string): void {
    const { outcomes } = applied;
    outcomes.forEach((outcome, count) => {
      this.events(topic, outcome, count);
    });
    this.eventsUnaccounted.inc({ topic }, outcomes.unaccounted);
    this.listsDroppedTotal.inc(outcomes.modelOverCap);
  }

  private newest(topic: string, partition: number, ts: number): void {
    if (Number.isFinite(ts)) {
      this.watermark(topic, partition, ts / 1000);
    }
  }

  private pane(pane: TimedPane, topics: Readonly<Record<TopicRole, string>>): void {
    const { unranked, overUserCap, sampledOut, listsLeftOut } = pane;
    if (pane.requests !== undefined) {
      this.requests(pane.requests);
    }
    this.dropped(pane.snapshot.modelsLeftOut?.models ?? 0, listsLeftOut);
    if (unranked > 0) {
      this.events(topics.interactions, 'unranked', unranked);
    }
    if (overUserCap > 0) {
      this.events(topics.interactions, 'over_user_cap', overUserCap);
    }
    for (const role of ['exposures', 'interactions'] as const) {
      this.sampledOut(topics[role], sampledOut[role]);
    }
  }

  private counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
    });
  }

  /**
   * Show the lag of each partition. Without a connection it is NaN, since it grows by an unknown
   * amount.
   */
  private showLags(): void {
    const { contact, topics } = this;
    if (contact === undefined || topics === undefined) return;
    for (const { role, partition, lag } of contact.heard) {
      this.lag(topics[role], partition, contact.isThere ? lag : Number.NaN);
    }
  }

  private gauge(name: string, help: string, collect?: () => void): Gauge {
    const labelNames = ['topic', 'partition'];
    return new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect && { collect }),
    });
  }

  private histogram(name: string, help: string): Histogram {
    return new Histogram({
      name,
      help,
      buckets: SECONDS_BUCKETS,
      registers: [this.registry],
    });
  }
}
