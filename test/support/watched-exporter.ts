import { Subject } from 'rxjs';
import type { NightlyStatus } from '../../src/export/nightly.js';
import { registerConnections } from '../../src/outputs/prometheus/connection-series.js';
import { ExportSeries } from '../../src/outputs/prometheus/export-series.js';
import { Exporter } from '../../src/outputs/prometheus/exporter.js';
import { registerOutputs } from '../../src/outputs/prometheus/output-series.js';
import type { CheckpointEvent } from '../../src/stream/checkpoint/checkpointer.js';
import type { ChangedLog, Flow, Gap, Sharing } from '../../src/stream/flow.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import type { LostPane } from '../../src/stream/panes/fold.js';
import type { TopicRole } from '../../src/stream/ports.js';
import type { AppliedBatch } from '../../src/stream/read/ingest.js';
import { LogContact } from '../../src/stream/read/log-contact.js';
import type { TimedPane } from '../../src/stream/read/pane-closer.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { rules } from './rules.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
const ROLES = ['exposures', 'interactions'] as const;

/** Those that a rule speaks of. */
const WATCHED = new Set(rules().flatMap(({ expr }) => expr.match(/\bunskew_\w+/g) ?? []));

/**
 * The exporter of a service in which all is well, except for what a test changes, on a clock that
 * begins at 0 as promtool's does. What is scraped is kept as series for promtool.
 */
export class WatchedExporter {
  /** Seconds. */
  now = 0;
  isUp = true;
  checkpointAge = 30;
  lag = 0;
  tickSeconds: number | undefined = 0.1;
  isReady = true;
  clockSkewMs = 0;
  /** Events of each batch that no outcome counts. */
  unaccounted = 0;
  /** Why tables of results cannot be written. */
  outputTrouble: { readonly reason: string } | undefined;
  /** A partition of the interactions that is not heard of any more. */
  unheard: number | undefined;
  /** When the last exposure came, seconds; they go on where it is undefined. −Infinity: never. */
  lastExposureAt: number | undefined;
  /** Nothing comes from the broker any more. */
  isCut = false;
  /** Newest event of what is stored of each partition, seconds. */
  readonly stored: Record<TopicRole, number> = {
    exposures: Number.NEGATIVE_INFINITY,
    interactions: Number.NEGATIVE_INFINITY,
  };
  readonly #instance: string;
  readonly contact = new LogContact(
    () => this.now * 1000,
    () => this.now * 1000,
  );
  export: NightlyStatus = {
    running: null,
    next: 0,
    overdue: null,
    lastMade: null,
    lastError: null,
  };
  readonly exports: ExportSeries;
  readonly exporter: Exporter;
  readonly gaps$ = new Subject<Gap>();
  readonly logChanges$ = new Subject<ChangedLog>();
  readonly checkpoints$ = new Subject<CheckpointEvent>();
  readonly lostPanes$ = new Subject<LostPane>();
  readonly #applied$ = new Subject<AppliedBatch>();
  readonly #ticks$ = new Subject<TimedPane>();
  readonly #assigned$ = new Subject<readonly number[]>();
  readonly #samples = new Map<string, string[]>();
  #scrapes = 0;

  /** @param sharing how the work is divided, where this process does not do all */
  constructor(instance = 'a', sharing?: Sharing) {
    this.#instance = instance;
    this.exporter = new Exporter({
      maxModels: 2,
      version: '0',
      topics: Object.values(TOPICS),
      checkpointAge: () => this.checkpointAge,
    });
    const { registry } = this.exporter;
    this.exports = new ExportSeries(
      registry,
      () => this.export,
      () => this.now * 1000,
    );
    const pipeline = {
      applied$: this.#applied$,
      ticks$: this.#ticks$,
      assigned$: this.#assigned$,
      gaps$: this.gaps$,
      logChanges$: this.logChanges$,
      lostPanes$: this.lostPanes$,
      sharing,
      checkpointer: { events$: this.checkpoints$, isReachable: true },
      contact: this.contact,
      newestOf: (role: TopicRole) => this.stored[role] * 1000,
    };
    const live = Object.defineProperty(pipeline, 'clockSkewMs', { get: () => this.clockSkewMs });
    this.exporter.follow(live as unknown as Flow, TOPICS);
    registerConnections(registry, {
      topics: TOPICS,
      isReady: () => this.isReady,
      pipeline: live as unknown as Flow,
    });
    registerOutputs(registry, () => [
      { name: 'results', trouble: this.outputTrouble, waiting: 0, lost: 0 },
    ]);
    this.exporter.stores.expect('checkpoints', ['save']);
    this.exporter.stores.expect('exports', ['list']);
    this.begin();
  }

  /** Takes all partitions, with what is stored of them. */
  begin(): void {
    this.contact.state('connected');
    this.#assigned$.next([0, 1]);
  }

  /** Hears nothing of the broker any more, and so of no change in the group. */
  cut(): void {
    this.isCut = true;
    this.contact.state('disconnected');
  }

  /** What comes in between two scrapes. */
  traffic(change: (outcomes: Outcomes) => void): void {
    if (this.isCut) return;
    for (const role of ROLES) {
      for (const partition of [0, 1]) this.#apply(role, partition, change);
    }
  }

  #apply(role: TopicRole, partition: number, change: (outcomes: Outcomes) => void): void {
    if (role === 'exposures' && this.lastExposureAt === Number.NEGATIVE_INFINITY) return;
    const outcomes = new Outcomes();
    outcomes.accepted = 600;
    change(outcomes);
    outcomes.read = this.unaccounted - outcomes.unaccounted;
    const high = this.now * 10;
    if (role === 'exposures' || partition !== this.unheard) {
      this.contact.records(role, partition, this.lag);
    }
    const newest = role === 'exposures' ? (this.lastExposureAt ?? this.now) : this.now;
    this.#applied$.next({
      role,
      partition,
      outcomes,
      deadLetters: [],
      replayed: 0,
      nextOffset: high - this.lag,
      highWatermark: high,
      newestTs: newest * 1000,
    });
  }

  tick(change: (snapshot: Snapshot) => Snapshot): void {
    if (this.tickSeconds === undefined || this.isCut) return;
    const snapshot = change(calm((this.now - 60) * 1000));
    this.#ticks$.next({
      snapshot,
      seconds: this.tickSeconds,
      longestSliceSeconds: 0.01,
      unranked: 0,
      overUserCap: 0,
      sampledOut: { exposures: 0, interactions: 0 },
      listsLeftOut: snapshot.modelsLeftOut?.models ?? 0,
    } as TimedPane);
  }

  async scrape(): Promise<void> {
    this.#keep('up', this.isUp ? '1' : '0');
    if (this.isUp) {
      for (const line of (await this.exporter.metrics()).split('\n')) {
        const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
        if (name !== undefined && WATCHED.has(name)) this.#keep(name, value!, labels);
      }
    }
    this.#scrapes++;
  }

  /** Nobody looks. */
  passBy(): void {
    this.#scrapes++;
  }

  #keep(name: string, value: string, labels = ''): void {
    const series = `${name}{${['job="unskew"', `instance="${this.#instance}"`, labels].filter(Boolean).join()}}`;
    const values = this.#samples.get(series) ?? [];
    this.#samples.set(series, values);
    while (values.length < this.#scrapes) values.push('_');
    values.push(value);
  }

  /** As promtool reads them: `_` where there was no sample. */
  get series(): { readonly series: string; readonly values: string }[] {
    return [...this.#samples].map(([series, values]) => ({ series, values: values.join(' ') }));
  }
}

/** Few rows; naive and debiased values agree, γ is fitted, and users are many. */
function calm(paneEnd: number): Snapshot {
  return { ...CALM, paneEnd };
}

const CALM: Snapshot = (() => {
  const { windows, propensity, ...rest } = makeSnapshot({ models: ['m'], windows: ['1h'] });
  return {
    ...rest,
    propensity: { ...propensity, source: 'fit' },
    windows: windows.map((window) => ({
      ...window,
      results: window.results
        .filter(({ metric, estimator }) => metric === 'recall' && /naive|snips/.test(estimator))
        .map((row) => ({ ...row, value: 0.1, stdErr: 0.01 })),
      effectiveSampleSizes: window.effectiveSampleSizes.map((row) => ({ ...row, users: 100 })),
      weightDistribution: [],
      interventions: [],
    })),
  };
})();
