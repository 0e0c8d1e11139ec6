import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { HistoryFile } from '../../adapters/files/history-file.js';
import { AppendedLines } from '../../adapters/files/lines/appended-lines.js';
import type { Check } from '../../adapters/http/routes/service-routes.js';
import { createServer, type HttpServer } from '../../adapters/http/server.js';
import { Exporter } from '../../adapters/prometheus/exporter.js';
import { registerHeld } from '../../adapters/prometheus/held-series.js';
import { IdSeries } from '../../adapters/prometheus/id-series.js';
import type { Config } from '../../config.js';
import { Decoder } from '../../events/decode.js';
import { History } from '../../history/history.js';
import { tickValues } from '../../history/tick-values.js';
import type { TrueValue } from '../../simulation/truth.js';
import type { CheckpointEvent } from '../../stream/checkpoint/checkpointer.js';
import type { AppliedBatch } from '../../stream/ingest/ingest.js';
import { Outcomes } from '../../stream/ingest/outcomes.js';
import { type Gap, Pipeline } from '../../stream/pipeline.js';
import type {
  CheckpointStore,
  DeadLetterSink,
  LogSource,
  PaneExchange,
} from '../../stream/ports.js';
import type { Snapshot } from '../../stream/snapshot.js';
import type { TimedPane } from '../../stream/tick/pane-closer.js';
import type { CommandIo } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';
import type { ServiceExports } from '../export/service-exports.js';
import { toEvaluationJson } from '../output/evaluation.js';
import { DeadLetterQueue } from './dead-letter-queue.js';
import { ItemLimitWarning } from './item-limit-warning.js';
import { decoderOptions, serviceMonitorOptions } from './monitor-options.js';
import { QualityBook } from './quality-book.js';

export interface ServiceOptions {
  readonly config: Config;
  readonly io: CommandIo;
  readonly source: LogSource;
  /** Where refused events go; undefined: they are counted only. */
  readonly deadLetters: DeadLetterSink | undefined;
  /** Where the state is kept; undefined: in memory only. */
  readonly checkpoints: CheckpointStore | undefined;
  /** Where the workers of the group leave their panes; undefined: each goes by itself. */
  readonly exchange?: PaneExchange | undefined;
  /** The making of sets; undefined where none are made. */
  readonly exports?: ServiceExports | undefined;
  /** True values at an event time, where the traffic is simulated. */
  readonly truth?: (atMs: number) => readonly TrueValue[];
  /** Called with the server's address once it is listening. */
  readonly onListening?: (address: string) => void;
}

/**
 * The running service: source → pipeline → exporter, API, page, files. Ends when the signal is
 * aborted, or fails with what broke it.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const service = new Service(options);
  try {
    const started = service.start();
    // Asked to stop while it still waits for the broker or the store, it need not wait longer.
    started.catch(() => {});
    await Promise.race([started, service.ended]);
    await service.ended;
  } finally {
    await service.stop();
  }
}

/** What was refused has no event time that a window could own: the metrics count it. */
const NOTHING_READ = new Outcomes();

/** How long the last checkpoints may take when the service stops, ms. */
const LAST_CHECKPOINTS_MS = 10_000;
/** How long it may take to end in all; what orchestrators grant is mostly 30 s. */
const STOP_MS = 20_000;

class Service {
  /** Resolves when the service is asked to stop; rejects with what broke it. */
  readonly ended: Promise<void>;
  readonly #options: ServiceOptions;
  readonly #exporter: Exporter;
  readonly #pipeline: Pipeline;
  readonly #letters: DeadLetterQueue;
  readonly #quality: QualityBook;
  readonly #itemLimit: ItemLimitWarning;
  readonly #history: History;
  #historyFile: HistoryFile | undefined;
  #server: HttpServer | undefined;
  readonly #closing: (() => Promise<void>)[] = [];
  #lines: AppendedLines | undefined;
  #latest: Snapshot | undefined;
  #connected = false;
  #partitions: readonly number[] = [];
  #failed = false;
  #ratio = 1;
  #storeAway = false;

  constructor(options: ServiceOptions) {
    const { config, io, source } = options;
    const { exposures, interactions } = config.kafka.topics;
    this.#options = options;
    this.#exporter = new Exporter({
      maxModels: config.models.max,
      version: packageVersion(),
      topics: [exposures, interactions],
      ...(options.checkpoints && { checkpointAge: () => this.#checkpointAge() }),
    });
    this.#quality = new QualityBook({ exposures, interactions });
    this.#itemLimit = new ItemLimitWarning(io.log, config.limits.items, Date.now);
    this.#history = new History(config.history);
    this.#letters = new DeadLetterQueue(options.deadLetters, this.#exporter, io.log);
    this.#pipeline = new Pipeline(source, {
      monitor: serviceMonitorOptions(config),
      decoder: new Decoder(decoderOptions(config)),
      topics: { exposures, interactions },
      start: config.kafka.start,
      idleMs: config.time.idleMs,
      turns: { now: () => performance.now(), next: () => nextTurn() },
      now: Date.now,
      ...(options.checkpoints && {
        checkpoints: {
          store: options.checkpoints,
          everyMs: config.state.everyMs,
          stopMs: LAST_CHECKPOINTS_MS,
          written: async () => this.#lines?.written(),
          ...(options.exchange && { exchange: options.exchange }),
        },
      }),
    });
    registerHeld(this.#exporter.registry, () => this.#pipeline.held);
    this.ended = new Promise((resolve, reject) => {
      if (io.signal.aborted) resolve();
      io.signal.addEventListener('abort', () => resolve(), { once: true });
      this.#pipeline.panes$.subscribe({
        next: (pane) => this.#show(pane),
        error: (error: unknown) => {
          this.#failed = true;
          reject(error);
        },
      });
    });
    // It may be broken while it is still starting: then `start` tells, or `ended` does later.
    this.ended.catch(() => {});
    this.#pipeline.applied$.subscribe((applied) => this.#account(applied));
    this.#pipeline.gaps$.subscribe((gap) => this.#miss(gap));
    this.#pipeline.state$.subscribe((state) => this.#notice(state));
    this.#pipeline.assigned$.subscribe((partitions) => this.#take(partitions));
    const ids = new IdSeries(this.#exporter.registry, () => this.#pipeline.knownIds);
    this.#pipeline.swept$.subscribe((swept) => ids.swept(swept));
    this.#pipeline.checkpointer?.events$.subscribe((event) => this.#record(event));
  }

  async start(): Promise<void> {
    const { config, io, onListening, exports } = this.#options;
    if (exports !== undefined) {
      exports.register(this.#exporter.registry);
      this.#closing.push(() => exports.stop());
    }
    if (config.estimatesFile !== undefined) {
      const lines = await AppendedLines.open(config.estimatesFile, (error) => {
        io.log.error({ err: error }, 'estimates are no longer written to the file');
        this.#lines = undefined;
      });
      this.#lines = lines;
      this.#closing.push(() => lines.close());
    }
    await this.#openHistory();
    const server = await createServer({
      ...config.http,
      version: packageVersion(),
      exporter: this.#exporter,
      history: this.#history,
      latest: () => this.#latest,
      isElsewhere: () => this.#pipeline.sharing?.evaluates === false,
      quality: () => this.#quality.report(this.#readiness()),
      lookup: () => this.#pipeline.lookup,
      health: () => [{ name: 'pipeline', ok: !this.#failed }],
      readiness: () => this.#readiness(),
      exports: exports?.routes,
      log: io.log,
    });
    this.#server = server;
    this.#closing.push(() => server.close());
    onListening?.(server.address);
    await this.#pipeline.start();
    exports?.start();
  }

  async #openHistory(): Promise<void> {
    const { config, io } = this.#options;
    const { dir } = config.history;
    if (dir === undefined) return;
    const file = await HistoryFile.open(dir, this.#history, (error) => {
      io.log.error({ err: error, dir }, 'the history is no longer kept in its folder');
    });
    this.#historyFile = file;
    this.#closing.push(() => file.close());
  }

  /** Each part ends whatever becomes of those before it: nothing may keep the process. */
  async stop(): Promise<void> {
    const { checkpoints, exchange, io } = this.#options;
    const parts = [
      () => this.#stopPipeline(),
      () => this.#letters.close(),
      async () => checkpoints?.close(),
      async () => exchange?.close(),
      ...this.#closing.reverse(),
    ];
    for (const part of parts) {
      await part().catch((error: unknown) => io.log.error({ err: error }, 'could not end cleanly'));
    }
  }

  /** Ends after the batch and the pane under way, but does not wait for ever for the broker. */
  async #stopPipeline(): Promise<void> {
    const inTime = new AbortController();
    const late = sleep(STOP_MS, 'late' as const, { signal: inTime.signal }).catch(() => undefined);
    try {
      const how = await Promise.race([this.#pipeline.stop(), late]);
      if (how === 'late')
        this.#options.io.log.warn('the broker does not let go; ending without it');
    } finally {
      inTime.abort();
    }
  }

  #readiness(): Check[] {
    const assigned = this.#partitions.length > 0;
    return [
      { name: 'broker', ok: this.#connected },
      { name: 'assigned', ok: assigned, detail: `${this.#partitions.length} partitions` },
      { name: 'caught_up', ok: this.#pipeline.caughtUp },
      ...this.#storeReadiness(),
      ...this.#exchangeReadiness(),
    ];
  }

  #storeReadiness(): Check[] {
    const { checkpointer } = this.#pipeline;
    return checkpointer ? [{ name: 'state_store', ok: checkpointer.isReachable }] : [];
  }

  #exchangeReadiness(): Check[] {
    const { sharing } = this.#pipeline;
    if (sharing === undefined) return [];
    const { trouble, evaluates } = sharing;
    const role = evaluates ? 'evaluates' : 'another worker evaluates';
    return [{ name: 'pane_exchange', ok: trouble === undefined, detail: trouble ?? role }];
  }

  #checkpointAge(): number | undefined {
    const since = this.#pipeline.checkpointer?.keptSince;
    return since === undefined ? undefined : Math.max(0, Date.now() - since) / 1000;
  }

  #record({ partition, outcome, error }: CheckpointEvent): void {
    const { log } = this.#options.io;
    this.#exporter.checkpoint(outcome);
    if (outcome === 'failed') {
      // Once for as long as it lasts; the metrics tell the rest.
      const level = this.#storeAway ? 'debug' : 'warn';
      log[level]({ partition, reason: error?.message }, 'the state store is away; trying again');
      this.#storeAway = true;
      return;
    }
    if (this.#storeAway) log.info('the state store is back');
    this.#storeAway = false;
    if (outcome === 'damaged') {
      log.error({ partition, reason: error?.message }, 'a checkpoint is refused');
    } else if (outcome === 'fenced') {
      log.warn({ partition }, 'a checkpoint was refused: another worker has taken the partition');
    } else log.debug({ partition }, `checkpoint ${outcome}`);
  }

  #show({ snapshot, unranked, sampledOut, seconds, longestSliceSeconds }: TimedPane): void {
    const { config, truth } = this.#options;
    this.#latest =
      truth === undefined ? snapshot : { ...snapshot, truth: truth(snapshot.paneEnd - 1) };
    this.#exporter.update(snapshot);
    this.#exporter.tick(seconds);
    this.#keep(this.#latest);
    this.#server?.publish(this.#latest);
    this.#exporter.stall(longestSliceSeconds);
    this.#warn(snapshot);
    if (unranked > 0) {
      this.#exporter.events(config.kafka.topics.interactions, 'unranked', unranked);
    }
    for (const role of ['exposures', 'interactions'] as const) {
      this.#exporter.sampledOut(config.kafka.topics[role], sampledOut[role]);
    }
    this.#tellSampling(snapshot);
    for (let w = 0; this.#lines !== undefined && w < snapshot.windows.length; w++) {
      this.#lines.write(JSON.stringify(toEvaluationJson(snapshot, w, NOTHING_READ)));
    }
  }

  /** Each change of the sample once. */
  #tellSampling({ sampling: { ratio } }: Snapshot): void {
    const before = this.#ratio;
    this.#ratio = ratio;
    if (ratio === before) return;
    const { log } = this.#options.io;
    if (ratio === 1) log.info('estimates are of all users again');
    else log.warn({ ratio }, 'more comes in than is kept (limits): estimates are of a sample');
  }

  /** Each change once, when it is found. */
  #warn({ alarms, paneEnd }: Snapshot): void {
    const { log } = this.#options.io;
    for (const alarm of alarms) {
      if (alarm.at !== paneEnd) continue;
      if (alarm.suppressed === null) log.warn({ alarm }, 'a series has changed');
      else log.info({ alarm }, 'a series may have changed, but the evidence is not sound');
    }
  }

  #keep(snapshot: Snapshot): void {
    const quality = this.#quality.report(this.#readiness());
    const values = tickValues(snapshot, quality);
    const tick = this.#history.add(snapshot.paneEnd, values, snapshot.alarms);
    if (tick !== undefined) this.#historyFile?.add(tick);
  }

  #account(applied: AppliedBatch): void {
    const { role, partition, outcomes, deadLetters } = applied;
    const topic = this.#options.config.kafka.topics[role];
    outcomes.forEach((outcome, count) => {
      this.#exporter.events(topic, outcome, count);
    });
    if (Number.isFinite(applied.newestTs)) {
      this.#exporter.watermark(topic, partition, applied.newestTs / 1000);
    }
    const lag = Math.max(0, applied.highWatermark - applied.nextOffset);
    this.#exporter.lag(topic, partition, lag);
    if (outcomes.modelOverCap > 0) this.#exporter.listsDropped(outcomes.modelOverCap);
    this.#itemLimit.add(outcomes.overItemLimit);
    this.#quality.add(applied);
    this.#letters.add(deadLetters);
  }

  #miss({ role, partition, records }: Gap): void {
    const { config, io } = this.#options;
    const topic = config.kafka.topics[role];
    if (records > 0) {
      this.#exporter.gap(topic, partition, records);
      const why = 'records are missing: the log no longer held them when they were due';
      io.log.warn({ topic, partition, records }, why);
    } else {
      io.log.warn({ topic, partition }, 'the log was made anew; it is read from its beginning');
    }
  }

  #notice(state: 'connected' | 'disconnected'): void {
    this.#connected = state === 'connected';
    const { log } = this.#options.io;
    if (this.#connected) log.info('connected to the broker');
    else log.warn('the broker is away; trying again until it is back');
  }

  #take(partitions: readonly number[]): void {
    const { topics } = this.#options.config.kafka;
    for (const partition of this.#partitions) {
      if (partitions.includes(partition)) continue;
      this.#exporter.forget(topics.exposures, partition);
      this.#exporter.forget(topics.interactions, partition);
    }
    this.#quality.keep(partitions);
    this.#partitions = partitions;
    const evaluates = this.#pipeline.sharing?.evaluates ?? true;
    if (!evaluates) {
      // Whoever concludes the panes now shows their numbers; what is here would only grow old.
      this.#latest = undefined;
      this.#exporter.withdraw();
      this.#server?.endStreams();
    }
    this.#options.io.log.info({ partitions, evaluates }, 'partitions assigned');
  }
}
