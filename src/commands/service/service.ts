import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { MemoryMarkStore } from '../../adapters/memory/mark-store.js';
import type { Config } from '../../config.js';
import type { UnskewError } from '../../errors.js';
import { Decoder } from '../../events/decode.js';
import {
  LONGEST_MARK_TEXT,
  type MarkStore,
  type StatedSettings,
} from '../../outputs/history/marks.js';
import { MAX_READERS } from '../../outputs/http/routes/tick-stream.js';
import { createServer, type HttpServer } from '../../outputs/http/server.js';
import { registerConnections } from '../../outputs/prometheus/connection-series.js';
import { Exporter } from '../../outputs/prometheus/exporter.js';
import { registerFileReadings } from '../../outputs/prometheus/file-readings.js';
import { registerHeld } from '../../outputs/prometheus/held-series.js';
import { IdSeries } from '../../outputs/prometheus/id-series.js';
import { registerOutputs } from '../../outputs/prometheus/output-series.js';
import { registerStates } from '../../outputs/prometheus/state-series.js';
import type { PipelineOptions } from '../../stream/assignment.js';
import { EFFECT_WORDS, type SettingChange } from '../../stream/checkpoint/changed-settings.js';
import type { Flow } from '../../stream/flow.js';
import { Patience } from '../../stream/patience.js';
import { Pipeline } from '../../stream/pipeline.js';
import type { CheckpointStore, LogSource, StartPosition } from '../../stream/ports.js';
import { TickFlow } from '../../stream/tick-flow.js';
import type { LoggedIo, Logger } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';
import type { ServiceExports } from '../export/service-exports.js';
import type { WatchedFile } from '../propensities/watched-file.js';
import type { threadedTicks } from '../threads/threaded-ticks.js';
import { memoryBudget, total } from './budget.js';
import { DeadLetterQueue, type PatientSink } from './dead-letter-queue.js';
import { Endings } from './endings.js';
import { KeptTicks, LatestSnapshot, type Truth } from './kept-ticks.js';
import { ConfigMarks, MarkBook, ModelMarks } from './mark-book.js';
import { decoderOptions, serviceMonitorOptions } from './monitor-options.js';
import { QualityBook } from './quality-book.js';
import { Readiness } from './readiness.js';
import { type Division, rulesOf } from './roles.js';
import type { Schemas } from './schemas.js';
import type { ServiceIntake } from './service-intake.js';
import { ServiceLog } from './service-log.js';
import { StateWatch, serviceFacts } from './state-watch.js';
import { EvictionWatch, watchedPanes, watchedStore } from './watched-stores.js';

/**
 * Assumed number of partitions for the memory budget. The actual number is known only later and
 * affects few bounds.
 */
const LIKELY_PARTITIONS = 4;

/** Memory that this process may use, bytes. */
export interface MemoryThereIs {
  /** Memory limit of the container; 0 if there is none. */
  readonly container: number;
  /** Limit of the V8 heap, which Node derives from the container's limit when it starts. */
  readonly heap: number;
}

export function memoryThereIs(): MemoryThereIs {
  return {
    container: process.constrainedMemory(),
    heap: getHeapStatistics().heap_size_limit,
  };
}

/** Log the memory budget of the configuration, and warn if it exceeds the available memory. */
export function reportMemory(
  config: Config,
  log: Pick<Logger, 'info' | 'warn'>,
  { container, heap }: MemoryThereIs,
): void {
  const brokers = config.kafka.brokers.length;
  const lines = memoryBudget(config, {
    brokers,
    partitions: LIKELY_PARTITIONS,
  });
  const budget = total(lines);
  const fields = {
    budget: gib(budget),
    heap: gib(heap),
    container: gib(container),
  };
  // Without a limit, the system reports 0 or more than any machine has.
  if (container === 0 || container >= Number.MAX_SAFE_INTEGER) {
    log.info(
      {
        budget: fields.budget,
        heap: fields.heap,
      },
      'memory: the container has no memory limit',
    );
  } else if (budget <= container) {
    log.info(fields, 'memory: the configuration fits into the container');
  } else {
    const [largest] = lines.filter(({ keys }) => keys.length > 0).sort((a, b) => b.bytes - a.bytes);
    log.warn(
      {
        ...fields,
        largest: largest!.what,
      },
      `memory: the configuration may need more memory than the container has; lower ${largest!.keys[0]}, or raise the memory limit of the container`,
    );
  }
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)}GiB`;
}

const NEVER_KEPT = 'no state of these partitions has been stored yet';
const GONE =
  'the stored state of these partitions is missing, although the group has committed offsets';
const UNKNOWN =
  'these partitions have no stored state, and Kafka does not say whether they had one (normal only at the first start)';

/**
 * Log partitions without stored state, once per assignment. This is expected at the very first
 * start; later it means that state was lost.
 */
function tellOfAbsentState(
  pipeline: Pick<Flow, 'checkpointer' | 'assigned$'>,
  start: StartPosition,
  log: Logger,
): void {
  const found = new Map<string, number[]>([NEVER_KEPT, GONE, UNKNOWN].map((why) => [why, []]));
  let reason: string | undefined;
  pipeline.checkpointer?.events$.subscribe(({ partition, outcome, error }) => {
    if (outcome === 'first') {
      found.get(NEVER_KEPT)!.push(partition);
    }
    if (outcome !== 'absent') return;
    reason = error?.message;
    found.get(error === undefined ? GONE : UNKNOWN)!.push(partition);
  });
  const rest =
    start === 'latest'
      ? 'existing records are skipped, because kafka.start is latest'
      : 'their records are read from the beginning';
  pipeline.assigned$.subscribe(() => {
    for (const [why, partitions] of found) {
      if (partitions.length === 0) continue;
      const of = {
        partitions: partitions.splice(0),
        ...(why === UNKNOWN && { reason }),
      };
      log[why === NEVER_KEPT ? 'info' : 'warn'](of, `${why}: ${rest}`);
    }
  });
}

export interface ServiceOptions {
  readonly config: Config;
  readonly io: LoggedIo;
  /** Log that events are read from; undefined if other processes read it. */
  readonly source: LogSource | undefined;
  /** Creates the tick thread; without it, ticks run in the main thread. */
  readonly ticks?: typeof threadedTicks | undefined;
  /** How the work is divided among processes; undefined if this one does all. */
  readonly division?: Division | undefined;
  /** Schemas of events with a schema id; undefined if all topics are JSON. */
  readonly schemas?: Schemas | undefined;
  /** Sink of rejected events; undefined if they are only counted. */
  readonly deadLetters: PatientSink | undefined;
  /** Store of checkpoints; undefined if the state is only in memory. */
  readonly checkpoints: CheckpointStore | undefined;
  /** Store of marks; without one, marks are only in memory. */
  readonly marks?: MarkStore | undefined;
  /**
   * Settings of this start, to be compared with those of the last start; undefined to skip that.
   */
  readonly settings?: StatedSettings | undefined;
  /** Schedule of exported test sets; undefined if none are exported. */
  readonly exports?: ServiceExports | undefined;
  /** File with the propensities whose inverses weight ratings; undefined if there is none. */
  readonly propensities?: WatchedFile | undefined;
  /** Popularity counts that replace missing stored state. */
  readonly seed?: PipelineOptions['seed'];
  /** Intake of topics in other formats; undefined if there is none, or another process runs it. */
  readonly intake?: ServiceIntake | undefined;
  readonly truth?: Truth;
  /** Called with the server's address once it is listening. */
  readonly onListening?: (address: string) => void;
}

/**
 * Run the service: source → pipeline → exporter, API, page, files. Returns after the signal is
 * aborted; rejects with the first failure.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const service = new Service(options);
  try {
    const started = service.start();
    // A stop must not wait for a start that itself waits for the broker or the store.
    started.catch(() => {});
    await Promise.race([started, service.ended]);
    await service.ended;
  } catch (error) {
    const overdue = await service.stop();
    if (overdue !== undefined) {
      options.io.log.warn(overdue.message);
    }
    throw error;
  }
  const overdue = await service.stop();
  if (overdue !== undefined) throw overdue;
}

/** Maximum number of open event streams per client address. */
const STREAMS_PER_ADDRESS = 100;
/** Fraction of the stop timeout that the last checkpoints may take. */
const LAST_CHECKPOINTS_SHARE = 0.4;

/** The running service: connects pipeline, stores, outputs and server, and stops them in order. */
class Service {
  /** Resolves when the signal asks the service to stop; rejects with the first failure. */
  readonly ended: Promise<void>;
  readonly #exporter: Exporter;
  readonly #pipeline: Flow;
  readonly #readiness: Readiness;
  readonly #quality: QualityBook;
  readonly #latest: LatestSnapshot;
  readonly #kept: KeptTicks;
  readonly #endings: Endings;
  readonly #eviction: EvictionWatch | undefined;
  readonly #states: StateWatch;
  readonly #marks: MarkBook;
  readonly #modelMarks: ModelMarks;
  readonly #configMarks: ConfigMarks | undefined;

  constructor(private readonly options: ServiceOptions) {
    const { config, io } = options;
    const { exposures, interactions } = config.kafka.topics;
    const topics = { exposures, interactions };
    this.#kept = new KeptTicks(config, io.log);
    this.#exporter = new Exporter({
      maxModels: config.models.max,
      version: packageVersion(),
      topics: [exposures, interactions],
      ...(options.checkpoints && { checkpointAge: () => checkpointAge(this.#pipeline) }),
    });
    const { stores } = this.#exporter;
    const checkpoints = options.checkpoints && watchedStore(options.checkpoints, stores);
    const { marks = new MemoryMarkStore() } = options;
    this.#marks = new MarkBook(marks);
    this.#modelMarks = new ModelMarks(this.#marks);
    const { settings } = options;
    this.#configMarks = settings && new ConfigMarks(settings, this.#marks, marks, io.log);
    const made = pipelineOptions(
      {
        ...options,
        checkpoints,
      },
      this.#kept,
    );
    const { division } = options;
    const divided = division && {
      ...division,
      log: watchedPanes(division.log, stores),
    };
    const sources = {
      propensities: () => options.propensities?.packed,
      modelMarks: () => this.#modelMarks.known,
    };
    const pipeline = flowOf(options.source, divided, {
      ...made,
      ticks: options.ticks?.({ config, topics }, sources),
      monitor: {
        ...made.monitor,
        modelMarks: sources.modelMarks,
      },
    });
    this.#pipeline = pipeline;
    registerHeld(this.#exporter.registry, () => pipeline.held);
    const ids = new IdSeries(this.#exporter.registry, () => pipeline.knownIds);
    pipeline.swept$.subscribe((swept) => ids.swept(swept));
    this.ended = ending(pipeline, io.signal);
    const { schemas } = options;
    this.#readiness = new Readiness(pipeline, schemas?.preparer, () => options.intake?.check);
    const isReady = () => this.#readiness.isReady;
    registerConnections(this.#exporter.registry, {
      pipeline,
      topics,
      isReady,
      schemas: schemas?.preparer,
    });
    this.#quality = new QualityBook(topics, pipeline.contact);
    pipeline.applied$.subscribe((applied) => this.#quality.add(applied));
    pipeline.assigned$.subscribe((partitions) => this.#quality.keep(partitions));
    this.#exporter.follow(pipeline, topics);
    this.#latest = new LatestSnapshot(pipeline, options.truth);
    this.#kept.follow(pipeline, this.#latest, () => this.#report());
    const letters = new DeadLetterQueue(options.deadLetters, this.#exporter.stream, io.log);
    pipeline.applied$.subscribe(({ deadLetters }) => letters.add(deadLetters));
    const outputs = () => [
      ...this.#kept.outputs,
      ...(options.deadLetters === undefined ? [] : [letters]),
      ...(options.exports === undefined ? [] : [options.exports.output]),
    ];
    registerOutputs(this.#exporter.registry, outputs);
    const facts = serviceFacts(config, {
      pipeline,
      latest: this.#latest,
      quality: this.#quality,
      readiness: this.#readiness,
      outputs,
      intake: options.intake,
    });
    this.#states = new StateWatch(facts, io.log, config.page.environment);
    registerStates(this.#exporter.registry, () => this.#states.states);
    new ServiceLog(pipeline, io.log, {
      topics,
      itemLimit: config.limits.items,
      reference: config.comparisons.control,
      now: Date.now,
    });
    reportMemory(config, io.log, memoryThereIs());
    tellOfAbsentState(pipeline, config.kafka.start, io.log);
    tellOfChangedSettings(pipeline, io.log);
    const { before } = this.#configMarks ?? {};
    const endMarking = markChangedSettings(pipeline, this.#marks, io.log, before);
    this.#eviction = checkpoints && new EvictionWatch(checkpoints, this.#exporter.stores, io.log);
    const stream = {
      name: 'reading from the broker',
      end: () => pipeline.stop(),
    };
    this.#endings = new Endings(io.log, config.stopTimeoutMs, stream);
    this.#endings.opened(letters.ending);
    this.#endings.opened({
      name: 'the state store',
      end: async () => checkpoints?.close(),
    });
    this.#endings.opened({
      name: 'adding marks for changed settings',
      end: async () => endMarking(),
    });
    this.#endings.opened({
      name: 'the store of marks',
      end: () => marks.close(),
    });
  }

  async start(): Promise<void> {
    const { onListening, exports, propensities, intake } = this.options;
    if (exports !== undefined) {
      exports.register(this.#exporter.registry, this.#exporter.stores);
      this.#endings.opened({
        name: 'making test sets',
        end: () => exports.stop(),
      });
    }
    if (propensities !== undefined) {
      propensities.onReading = registerFileReadings(this.#exporter.registry);
      const end = propensities.start();
      this.#endings.opened({
        name: 'watching the propensity file',
        end,
      });
    }
    if (intake !== undefined) {
      intake.register(this.#exporter.registry);
      this.#endings.opened({
        name: 'the intake',
        end: () => intake.stop(),
      });
    }
    // A process that only reads has no numbers to store.
    if (this.options.division?.role !== 'read') {
      await this.#kept.open(this.#endings);
    }
    const reading = await this.#modelMarks.start();
    this.#endings.opened({
      name: 'reading marks',
      end: reading,
    });
    if (this.#configMarks) {
      const comparing = this.#configMarks.start(Date.now());
      this.#endings.opened({
        name: 'adding a mark for the changed configuration',
        end: comparing,
      });
    }
    const server = await this.#listen();
    this.#endings.opened({
      name: 'the HTTP server',
      end: () => server.close(),
    });
    this.#latest.snapshots$.subscribe((snapshot) => server.publish(snapshot));
    this.#latest.withdrawn$.subscribe(() => server.endStreams());
    const watching = this.#states.start((state) => server.publishState(state));
    this.#endings.opened({
      name: 'watching the state of the service',
      end: watching,
    });
    onListening?.(server.address);
    if (this.#eviction) {
      this.#endings.opened({
        name: 'watching the eviction policy of the store',
        end: this.#eviction.start(),
      });
    }
    // The intake starts first, because it creates missing topics that the pipeline reads.
    await intake?.start();
    await this.#pipeline.start();
    exports?.start();
  }

  stop(): Promise<UnskewError | undefined> {
    return this.#endings.run();
  }

  #listen(): Promise<HttpServer> {
    const { config, io, exports } = this.options;
    return createServer({
      ...config.http,
      // Without a rate limit, as behind a proxy, streams are not limited per address either.
      streamsPerAddress: config.http.rateLimit === 0 ? MAX_READERS : STREAMS_PER_ADDRESS,
      version: packageVersion(),
      exporter: this.#exporter,
      history: this.#kept.history,
      windows: config.time.windows.map(({ name }) => name),
      latest: () => this.#latest.value,
      isElsewhere: () => this.#pipeline.sharing?.isElsewhere === true,
      quality: () => this.#report(),
      state: () => this.#states.live,
      lookup: () => this.#pipeline.lookup,
      marks: this.#marks,
      health: () => this.#readiness.health(),
      readiness: () => this.#readiness.checks(),
      exports: exports?.routes,
      log: io.log,
    });
  }

  #report() {
    return this.#quality.report(this.#readiness.checks());
  }
}

function pipelineOptions(
  { config, propensities, schemas, seed, checkpoints }: ServiceOptions,
  kept: KeptTicks,
): PipelineOptions {
  const { exposures, interactions } = config.kafka.topics;
  const monitor = serviceMonitorOptions(config, propensities);
  return {
    monitor,
    decoder: new Decoder({
      ...decoderOptions(config),
      ...(schemas && { framed: schemas.framed }),
    }),
    topics: { exposures, interactions },
    start: config.kafka.start,
    idleMs: config.time.idleMs,
    areBrought: config.intake.sources.length > 0,
    maxFutureMs: config.time.maxFutureMs,
    turns: {
      now: () => performance.now(),
      next: () => nextTurn(),
    },
    now: Date.now,
    ...(seed && { seed }),
    ...(checkpoints && {
      checkpoints: {
        store: checkpoints,
        everyMs: config.state.everyMs,
        stopMs: config.stopTimeoutMs * LAST_CHECKPOINTS_SHARE,
        written: () => kept.written(),
      },
    }),
  };
}

function flowOf(
  source: LogSource | undefined,
  division: Division | undefined,
  options: PipelineOptions,
): Flow {
  const rules = rulesOf(options.monitor);
  if (division?.role !== 'tick') {
    if (source === undefined)
      throw new RangeError('A process that reads needs a source of events.');
    return new Pipeline(source, {
      ...options,
      panes: division && {
        log: division.log,
        rules,
      },
    });
  }
  const { monitor, topics, turns, now, checkpoints, ticks } = options;
  return new TickFlow({
    log: division.log,
    leadership: division.leadership,
    former: division.former,
    monitor,
    ticks,
    topics,
    rules,
    turns,
    now,
    checkpoints,
  });
}

function checkpointAge({ checkpointer }: Flow): number | undefined {
  const since = checkpointer?.keptSince;
  return since === undefined ? undefined : Math.max(0, Date.now() - since) / 1000;
}

function ending(pipeline: Flow, signal: AbortSignal): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => resolve(), { once: true });
    pipeline.panes$.subscribe({ error: reject });
  });
  // Avoid an unhandled rejection: a failure during the start is reported by `start`, a later one by
  // `ended`.
  ended.catch(() => {});
  return ended;
}

/**
 * Log each setting whose value differs from the one that the stored state was built with, once,
 * with the effect on the state.
 */
function tellOfChangedSettings({ settings$ }: Pick<Flow, 'settings$'>, log: Logger): void {
  const told = new Set<string>();
  settings$.subscribe((changes) => {
    for (const { name, made, now, effect } of changes) {
      const key = `${name}/${made}`;
      if (told.has(key)) continue;
      told.add(key);
      log.warn(
        {
          setting: name,
          made,
          now,
        },
        `${name} has changed: ${EFFECT_WORDS[effect]}`,
      );
    }
  });
}

/**
 * Add a mark for each setting whose value differs from the one that the stored state was built
 * with. Every partition and worker notices it; only the first one adds the mark.
 *
 * The mark is retried while the store is unavailable, and keeps the time at which the change was
 * noticed.
 *
 * @param compared configuration of the last start; settings in it get their marks from
 * `ConfigMarks`
 * @returns function that stops retrying
 */
export function markChangedSettings(
  { settings$ }: Pick<Flow, 'settings$'>,
  marks: MarkBook,
  log: Logger,
  compared: Promise<StatedSettings | undefined> = Promise.resolve(undefined),
): () => void {
  const patience = new Patience();
  settings$.subscribe((changes) => {
    for (const change of changes) {
      const time = marks.now();
      const mark = async () => {
        if (change.name in ((await compared) ?? {})) return;
        const order = {
          time,
          kind: 'config',
          text: textOf(change),
        } as const;
        await patience.until(() => marks.add(order, change.name));
      };
      mark().catch((error: Error) => {
        log.warn(
          {
            setting: change.name,
            err: error,
          },
          'cannot add a mark for a changed setting, so the charts do not show it',
        );
      });
    }
  });
  return () => patience.end();
}

function textOf({ name, made, now }: SettingChange): string {
  const text = `${name}: ${made} → ${now}`;
  return text.length <= LONGEST_MARK_TEXT ? text : `${text.slice(0, LONGEST_MARK_TEXT - 1)}…`;
}
