import { type Observable, Subject } from 'rxjs';
import { AppendedLines } from '../../adapters/files/appended-lines.js';
import { HistoryFile } from '../../adapters/files/history-file.js';
import { ResultFolder } from '../../adapters/files/result-folder.js';
import { resultFile } from '../../adapters/parquet/parquet.js';
import type { Config } from '../../config.js';
import { History, type KeptTick } from '../../outputs/history/history.js';
import {
  isKeptTick,
  type PastResultPlace,
  type ResultPlace,
  resultName,
  resultTable,
} from '../../outputs/history/result-table.js';
import { tickValues } from '../../outputs/history/tick-values.js';
import type { QualityReport } from '../../outputs/http/schema/live-state.js';
import { toEvaluationJson } from '../../outputs/text/evaluation.js';
import type { TrueValue } from '../../simulation/truth.js';
import type { Flow } from '../../stream/flow.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { PatienceOptions } from '../../stream/patience.js';
import { dueWindows, type Snapshot } from '../../stream/tick/snapshot.js';
import type { Logger } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';
import type { Endings } from './endings.js';
import { Outbox, type Output } from './outbox.js';

/** Function that returns the true values of simulated traffic at an event time, ms. */
export type Truth = (atMs: number) => readonly TrueValue[];

/**
 * Newest snapshot of this process. It is dropped as soon as another process of the group shows the
 * numbers.
 */
export class LatestSnapshot {
  readonly #snapshots$ = new Subject<Snapshot>();
  readonly #withdrawn$ = new Subject<void>();
  #latest: Snapshot | undefined;

  constructor(pipeline: Flow, truth?: Truth) {
    pipeline.ticks$.subscribe(({ snapshot }) => {
      this.#latest =
        truth === undefined
          ? snapshot
          : {
              ...snapshot,
              truth: truth(snapshot.paneEnd - 1),
            };
      this.#snapshots$.next(this.#latest);
    });
    pipeline.assigned$.subscribe(() => {
      if (pipeline.sharing?.isElsewhere !== true) return;
      // Other processes show the numbers; the local ones would become out of date.
      this.#latest = undefined;
      this.#withdrawn$.next();
    });
  }

  /**
   * Newest snapshot. Undefined before the first one, and while another process shows the numbers.
   */
  get value(): Snapshot | undefined {
    return this.#latest;
  }

  get snapshots$(): Observable<Snapshot> {
    return this.#snapshots$;
  }

  /**
   * Emits when another process takes over showing the numbers, so that pages discard those of this
   * process.
   */
  get withdrawn$(): Observable<void> {
    return this.#withdrawn$;
  }
}

/** Open the result store in a folder or under `s3://bucket/prefix`. */
export async function resultPlaceAt(place: string, config: Config): Promise<PastResultPlace> {
  if (!place.startsWith('s3://')) return new ResultFolder(place);
  const { resultBucketAt } = await import('../../adapters/s3/set-bucket.js');
  return resultBucketAt(place, config.export.s3);
}

interface ResultFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Writes results to the result store: for each period as long as the shortest window, one tick in
 * one file. After a crash, ticks whose files may be missing are computed again; a file that exists
 * is overwritten with the same bytes.
 */
export class KeptResults {
  readonly #paneMs: number;
  readonly #everyMs: number;
  readonly outbox: Outbox<ResultFile>;

  constructor(
    place: ResultPlace,
    { time }: Pick<Config, 'time'>,
    log: Pick<Logger, 'warn' | 'error'>,
    options: PatienceOptions = {},
  ) {
    this.#paneMs = time.tickMs;
    this.#everyMs = Math.min(...time.windows.map(({ ms }) => ms));
    this.outbox = new Outbox({
      ...options,
      name: 'results',
      write: ({ name, bytes }) => place.put(name, bytes),
      sizeOf: ({ bytes }) => bytes.length,
      log,
    });
  }

  add(snapshot: Snapshot): void {
    if (!isKeptTick(snapshot.paneEnd, this.#paneMs, this.#everyMs)) return;
    const name = resultName(snapshot.paneEnd);
    this.outbox.add({
      name,
      bytes: resultFile(resultTable(snapshot), packageVersion()),
    });
  }
}

/**
 * Empty counts of outcomes, for the file of estimates. Rejected events have no event time, so they
 * belong to no window; only metrics count them.
 */
const NOTHING_READ = new Outcomes();

/** Maximum number of ticks that wait in `#unwritten`; each takes about a megabyte. */
const MOST_UNWRITTEN = 60;

/**
 * Stores the ticks of a service: in the result store, in the file of estimates, and in the history,
 * which is in memory and in a folder.
 */
export class KeptTicks {
  readonly history: History;
  #estimates: Outbox<string> | undefined;
  #results: KeptResults | undefined;
  #history: Outbox<KeptTick> | undefined;
  /** Ticks that another process has to write and has not confirmed yet. */
  #unwritten: Snapshot[] = [];

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {
    this.history = new History(config.history);
  }

  get outputs(): readonly Output[] {
    const all = [this.#results?.outbox, this.#estimates, this.#history];
    return all.filter((output) => output !== undefined);
  }

  /** Store the ticks of a pipeline from now on. */
  follow(pipeline: Flow, latest: LatestSnapshot, quality: () => QualityReport): void {
    latest.snapshots$.subscribe((snapshot) => this.#remember(snapshot, quality()));
    const writes = () => pipeline.sharing?.evaluates !== false;
    pipeline.ticks$.subscribe(({ snapshot }) => {
      if (writes()) {
        this.#write(snapshot);
      } else if (pipeline.checkpointer !== undefined) {
        this.#hold(snapshot);
      }
    });
    // Several processes may tick, but only the leader writes. The others keep their ticks until the
    // leader has stored them, so that a new leader can write the rest.
    pipeline.kept$.subscribe((end) => {
      this.#unwritten = this.#unwritten.filter(({ paneEnd }) => paneEnd > end);
    });
    pipeline.assigned$.subscribe(() => {
      if (!writes()) return;
      for (const snapshot of this.#unwritten.splice(0)) {
        this.#write(snapshot);
      }
    });
  }

  /** Keep a tick in memory until the leading process has stored it, if an output needs it. */
  #hold(snapshot: Snapshot): void {
    if (this.#estimates === undefined && this.#results === undefined) return;
    this.#unwritten.push(snapshot);
    if (this.#unwritten.length <= MOST_UNWRITTEN) return;
    const lost = this.#unwritten.shift()!;
    this.log.warn(
      { paneEnd: new Date(lost.paneEnd).toISOString() },
      'the leading process has not saved its state for a long time; if it stops now, the output files may lack this tick',
    );
  }

  /**
   * Open the files that are configured.
   *
   * @throws UnskewError FILE if the file of estimates cannot be opened
   */
  async open(endings: Endings): Promise<void> {
    const { estimatesFile, history, results } = this.config;
    if (results.out !== undefined) {
      const place = await resultPlaceAt(results.out, this.config);
      const kept = new KeptResults(place, this.config, this.log);
      this.#results = kept;
      endings.opened({
        name: 'the tables of results',
        end: () => kept.outbox.close(),
      });
    }
    if (estimatesFile !== undefined) {
      await this.#openEstimates(estimatesFile, endings);
    }
    if (history.dir !== undefined) {
      await this.#openHistory(history.dir, endings);
    }
  }

  async #openEstimates(path: string, endings: Endings): Promise<void> {
    const file = new AppendedLines(path);
    await file.open();
    const outbox = new Outbox<string>({
      name: 'estimates',
      write: (line) => file.append([line]),
      sizeOf: ({ length }) => 2 * length,
      log: this.log,
    });
    this.#estimates = outbox;
    const end = () => outbox.close().then(() => file.close());
    endings.opened({
      name: 'the file of estimates',
      end,
    });
  }

  async #openHistory(dir: string, endings: Endings): Promise<void> {
    const file = new HistoryFile(dir, this.history);
    // If this fails, the first tick reads the file.
    await file.open().catch((error: unknown) => {
      this.log.error(
        { err: error },
        'cannot read the history of earlier runs; retrying at the first tick',
      );
    });
    const outbox = new Outbox<KeptTick>({
      name: 'history',
      write: (tick) => file.add(tick),
      sizeOf: ({ values }) => values.byteLength,
      log: this.log,
    });
    this.#history = outbox;
    const end = () => outbox.close().then(() => file.close());
    endings.opened({
      name: 'the history',
      end,
    });
  }

  /** Resolves when the results of all closed panes are stored durably. */
  async written(): Promise<void> {
    await Promise.all([this.#estimates?.written(), this.#results?.outbox.written()]);
  }

  #remember(snapshot: Snapshot, quality: QualityReport): void {
    const tick = this.history.add(snapshot.paneEnd, tickValues(snapshot, quality), snapshot.alarms);
    if (tick !== undefined) {
      this.#history?.add(tick);
    }
  }

  #write(snapshot: Snapshot): void {
    this.#results?.add(snapshot);
    if (this.#estimates === undefined) return;
    for (const window of dueWindows(snapshot)) {
      const w = snapshot.windows.indexOf(window);
      this.#estimates.add(JSON.stringify(toEvaluationJson(snapshot, w, NOTHING_READ)));
    }
  }
}
