import { distinctUntilChanged } from 'rxjs';
import type { CheckpointEvent } from '../../stream/checkpoint/checkpointer.js';
import type { ChangedLog, Flow, Gap } from '../../stream/flow.js';
import type { TopicRole } from '../../stream/ports.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Logger } from '../cli/io.js';

const EVERY_MS = 60_000;

/** Logs, at most once a minute, how many events were left out because of `limits.items`. */
export class ItemLimitWarning {
  #untold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly limit: number,
    private readonly now: () => number,
  ) {}

  add(events: number): void {
    this.#untold += events;
    const now = this.now();
    if (this.#untold === 0 || now - this.#toldAt < EVERY_MS) return;
    const why = 'events are left out, because their items exceed limits.items';
    this.log.warn(
      {
        events: this.#untold,
        limit: this.limit,
      },
      why,
    );
    this.#untold = 0;
    this.#toldAt = now;
  }
}

export interface ServiceLogOptions {
  readonly topics: Readonly<Record<TopicRole, string>>;
  /** Maximum number of items in memory, `limits.items`. */
  readonly itemLimit: number;
  /** Model that the others are compared with; undefined for the first one. */
  readonly reference: string | undefined;
  readonly now: () => number;
}

/** Streams of the pipeline that are logged. */
type ServicePipeline = Pick<
  Flow,
  | 'applied$'
  | 'gaps$'
  | 'logChanges$'
  | 'lostPanes$'
  | 'state$'
  | 'assigned$'
  | 'ticks$'
  | 'checkpointer'
  | 'sharing'
>;

/** Logs what happens in a service: each change once, when it is detected. */
export class ServiceLog {
  readonly #topics: ServiceLogOptions['topics'];
  /** Fraction of users in the sample behind the newest estimates; 1 without sampling. */
  #samplingRatio = 1;
  readonly #unknown = new Set<number>();
  #isStoreAway = false;
  readonly #reference: string | undefined;
  #isReferenceAway = false;
  #hasEstimates = false;

  constructor(
    pipeline: ServicePipeline,
    private readonly log: Logger,
    options: ServiceLogOptions,
  ) {
    const { topics, itemLimit, now } = options;
    this.#topics = topics;
    this.#reference = options.reference;
    const itemLimitWarning = new ItemLimitWarning(log, itemLimit, now);
    pipeline.applied$.subscribe(({ outcomes }) => itemLimitWarning.add(outcomes.overItemLimit));
    pipeline.gaps$.subscribe((gap) => this.#missed(gap));
    pipeline.logChanges$.subscribe((change) => this.#changed(change));
    // Log once per partition until the next assignment; a metric counts every lost record.
    pipeline.lostPanes$.subscribe(({ partition }) => {
      if (this.#unknown.has(partition)) return;
      this.#unknown.add(partition);
      const why =
        'the panes topic lost records of closed panes: the numbers lack the events of these panes';
      log.warn({ partition }, why);
    });
    pipeline.state$
      .pipe(distinctUntilChanged())
      .subscribe((state) => this.#connection(state === 'connected'));
    pipeline.assigned$.subscribe((partitions) => {
      this.#unknown.clear();
      const evaluates = pipeline.sharing?.evaluates ?? true;
      log.info({ partitions, evaluates }, 'partitions assigned');
    });
    pipeline.ticks$.subscribe(({ snapshot }) => {
      this.#first(snapshot);
      this.#alarms(snapshot);
      this.#sampling(snapshot);
      this.#comparison(snapshot);
    });
    pipeline.checkpointer?.events$.subscribe((event) => this.#checkpoint(event));
  }

  #missed({ role, partition, records }: Gap): void {
    const topic = this.#topics[role];
    const why = 'records are missing: Kafka deleted them before they were read';
    this.log.warn(
      {
        topic,
        partition,
        records,
      },
      why,
    );
  }

  #changed(change: ChangedLog): void {
    if (change.kind === 'extended') {
      const { from, to } = change;
      const why =
        'the topics have more partitions: users who moved to another partition have no lists for up to attribution.ttl';
      this.log.warn({ from, to }, why);
      return;
    }
    const { kind, role, partition, expected, found } = change;
    const why = {
      truncated:
        'the end of the topic was lost: reading continues with new records, and lost records that were already counted stay counted',
      recreated:
        'the topic was recreated: reading starts at its beginning, and events that were already counted stay counted',
    }[kind];
    this.log.warn(
      {
        topic: this.#topics[role],
        partition,
        expected,
        found,
      },
      why,
    );
  }

  #connection(isConnected: boolean): void {
    if (isConnected) {
      this.log.info('connected to the broker');
    } else {
      this.log.warn('the broker does not answer; retrying');
    }
  }

  /** Log once that the first estimates exist, and that page and metrics show them. */
  #first({ windows }: Snapshot): void {
    if (this.#hasEstimates) return;
    const window = windows.find(({ results }) => results.some(({ value }) => value >= 0));
    if (window === undefined) return;
    this.#hasEstimates = true;
    const models = window.models.map(({ model }) => model);
    this.log.info(
      {
        window: window.name,
        models,
      },
      'first estimates computed',
    );
  }

  #alarms({ alarms, notices = [], paneEnd }: Snapshot): void {
    for (const { at, since, model } of notices) {
      if (at === paneEnd) {
        this.log.info({ model, since }, 'new model');
      }
    }
    for (const alarm of alarms) {
      if (alarm.at !== paneEnd) continue;
      if (alarm.suppressed === null) {
        this.log.warn({ alarm }, 'drift alarm');
      } else {
        this.log.info({ alarm }, 'possible drift; no alarm, because the evidence is weak');
      }
    }
  }

  #sampling({ sampling: { ratio } }: Snapshot): void {
    if (ratio === this.#samplingRatio) return;
    this.#samplingRatio = ratio;
    const why = 'traffic exceeds a limit: estimates use a sample of the users';
    if (ratio === 1) {
      this.log.info('estimates use all users again');
    } else {
      this.log.warn({ ratio }, why);
    }
  }

  /**
   * Log when the reference model stops or starts having lists. Without its lists there are no
   * comparisons, which could be mistaken for models without differences.
   */
  #comparison({ windows, baseline }: Snapshot): void {
    const reference = this.#reference;
    if (reference === undefined) return;
    const models = Object.keys(windows[0].averageRecommendationPopularity);
    const isAway = reference !== baseline && !models.includes(reference);
    if (isAway === this.#isReferenceAway) return;
    this.#isReferenceAway = isAway;
    const why = 'the model of comparisons.control sends no lists, so models are not compared';
    if (isAway) {
      this.log.warn({ reference, models }, why);
    } else {
      this.log.info(
        { reference },
        'the model of comparisons.control sends lists again, so models are compared',
      );
    }
  }

  #checkpoint({ partition, outcome, error }: CheckpointEvent): void {
    if (outcome === 'failed') {
      // Warn once until the store answers again; metrics count each failure.
      const level = this.#isStoreAway ? 'debug' : 'warn';
      const why = 'the state store does not answer; retrying';
      this.log[level](
        {
          partition,
          reason: error?.message,
        },
        why,
      );
      this.#isStoreAway = true;
      return;
    }
    if (this.#isStoreAway) {
      this.log.info('the state store is back');
    }
    this.#isStoreAway = false;
    if (outcome === 'damaged') {
      this.log.error(
        {
          partition,
          reason: error?.message,
        },
        'a checkpoint is damaged; trying the one before it',
      );
    } else if (outcome === 'lost') {
      const why = 'the state store lost a checkpoint; writing it again';
      this.log.warn({ partition }, why);
    } else if (outcome === 'fenced') {
      const why = 'checkpoint rejected: another process has taken over the partition';
      this.log.warn({ partition }, why);
    } else {
      this.log.debug({ partition }, `checkpoint ${outcome}`);
    }
  }
}
