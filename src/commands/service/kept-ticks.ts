import { setTimeout as pause } from 'node:timers/promises';
import { type Observable, Subject } from 'rxjs';
import { AppendedLines } from '../../adapters/files/appended-lines.js';
import { HistoryFile } from '../../adapters/files/history-file.js';
import { ResultFolder } from '../../adapters/files/result-folder.js';
import { resultFile } from '../../adapters/parquet/parquet.js';
import type { Config } from '../../config.js';
import { History } from '../../outputs/history/history.js';
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
import { Outcomes } from '../../stream/outcomes.js';
import type { Pipeline } from '../../stream/pipeline.js';
import { dueWindows, type Snapshot } from '../../stream/snapshot.js';
import type { Logger } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';
import type { Endings } from './endings.js';

/** True values at an event time, where the traffic is simulated. */
export type Truth = (atMs: number) => readonly TrueValue[];

/** The newest snapshot, for as long as this process has any of the partitions. */
export class LatestSnapshot {
  readonly #snapshots$ = new Subject<Snapshot>();
  readonly #withdrawn$ = new Subject<void>();
  #latest: Snapshot | undefined;

  constructor(pipeline: Pipeline, truth?: Truth) {
    pipeline.ticks$.subscribe(({ snapshot }) => {
      this.#latest =
        truth === undefined ? snapshot : { ...snapshot, truth: truth(snapshot.paneEnd - 1) };
      this.#snapshots$.next(this.#latest);
    });
    pipeline.assigned$.subscribe(() => {
      if (pipeline.sharing?.isElsewhere !== true) return;
      // Workers with partitions show the numbers; those here would only grow old.
      this.#latest = undefined;
      this.#withdrawn$.next();
    });
  }

  /** Undefined before the first, and where another process has them. */
  get value(): Snapshot | undefined {
    return this.#latest;
  }

  get snapshots$(): Observable<Snapshot> {
    return this.#snapshots$;
  }

  /** Another process has the snapshots from now on. */
  get withdrawn$(): Observable<void> {
    return this.#withdrawn$;
  }
}

/** Between two attempts at a file. */
const RETRY_MS = 5_000;
/** Files that wait at most while the place fails; a tick beyond them is not kept. */
const MOST_WAITING = 1024;

interface Waiting {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The place under a folder or an `s3://bucket/prefix`. */
export async function resultPlaceAt(place: string, config: Config): Promise<PastResultPlace> {
  if (!place.startsWith('s3://')) return new ResultFolder(place);
  const { resultBucketAt } = await import('../../adapters/s3/set-bucket.js');
  return resultBucketAt(place, config.export.s3);
}

/**
 * Writes the estimates of kept ticks, one file each, under a name that follows from the tick. A file
 * that cannot be written is tried again until it can, and checkpoints wait for it: after a crash the
 * ticks whose files may not be there are made again, and the same name takes the same bytes.
 */
export class KeptResults {
  readonly #paneMs: number;
  readonly #everyMs: number;
  readonly #stopped = new AbortController();
  readonly #gaveUp: Promise<void>;
  #giveUp = () => {};
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  constructor(
    private readonly place: ResultPlace,
    { time }: Pick<Config, 'time'>,
    private readonly log: Logger,
    private readonly retryMs = RETRY_MS,
  ) {
    this.#paneMs = time.tickMs;
    this.#everyMs = Math.min(...time.windows.map(({ ms }) => ms));
    this.#gaveUp = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
  }

  add(snapshot: Snapshot): void {
    if (!isKeptTick(snapshot.paneEnd, this.#paneMs, this.#everyMs)) return;
    const name = resultName(snapshot.paneEnd);
    if (this.#waiting.length >= MOST_WAITING) {
      this.log.error({ place: this.place.place, name }, 'results are lost: too many wait');
      return;
    }
    const bytes = resultFile(resultTable(snapshot), packageVersion());
    this.#waiting.push({ name, bytes });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when all that was added is where it must not get lost. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** One more attempt at what waits, and no other. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await Promise.race([this.#writing, this.#gaveUp]);
  }

  async #write(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      try {
        await this.place.put(next.name, next.bytes);
        this.#waiting.shift();
      } catch (error) {
        const { name } = next;
        this.log.error({ err: error, name }, 'results were not written; checkpoints wait for them');
        if (this.#stopped.signal.aborted) {
          this.#giveUp();
          // No checkpoint may say that they are there: the next start makes them again.
          await new Promise<never>(() => {});
        }
        await pause(this.retryMs, undefined, { signal: this.#stopped.signal }).catch(() => {});
      }
    }
  }
}

/** What was refused has no event time that a window could own: the metrics count it. */
const NOTHING_READ = new Outcomes();

/** Where ticks are kept: the file of estimates, and the history in memory and in its folder. */
export class KeptTicks {
  readonly history: History;
  #lines: AppendedLines | undefined;
  #results: KeptResults | undefined;
  #historyFile: HistoryFile | undefined;

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {
    this.history = new History(config.history);
  }

  /** Keeps what the pipeline makes from now on. */
  follow(pipeline: Pipeline, latest: LatestSnapshot, quality: () => QualityReport): void {
    latest.snapshots$.subscribe((snapshot) => this.#remember(snapshot, quality()));
    pipeline.ticks$.subscribe(({ snapshot }) => {
      // Of several workers one writes.
      if (pipeline.sharing?.evaluates !== false) this.#write(snapshot);
    });
  }

  /** Opens the files that are configured. */
  async open(endings: Endings): Promise<void> {
    const { estimatesFile, history, results } = this.config;
    if (results.out !== undefined) {
      const place = await resultPlaceAt(results.out, this.config);
      const kept = new KeptResults(place, this.config, this.log);
      this.#results = kept;
      endings.opened({ name: 'the tables of results', end: () => kept.close() });
    }
    if (estimatesFile !== undefined) {
      const lines = await AppendedLines.open(estimatesFile, (error) => {
        this.log.error({ err: error }, 'estimates are no longer written to the file');
        this.#lines = undefined;
      });
      this.#lines = lines;
      endings.opened({ name: 'the file of estimates', end: () => lines.close() });
    }
    const { dir } = history;
    if (dir === undefined) return;
    const file = await HistoryFile.open(dir, this.history, (error) => {
      this.log.error({ err: error, dir }, 'the history is no longer kept in its folder');
    });
    this.#historyFile = file;
    endings.opened({ name: 'the history', end: () => file.close() });
  }

  /** Resolves when what was made of closed panes is where it must not get lost. */
  async written(): Promise<void> {
    await Promise.all([this.#lines?.written(), this.#results?.written()]);
  }

  #remember(snapshot: Snapshot, quality: QualityReport): void {
    const tick = this.history.add(snapshot.paneEnd, tickValues(snapshot, quality), snapshot.alarms);
    if (tick !== undefined) this.#historyFile?.add(tick);
  }

  #write(snapshot: Snapshot): void {
    this.#results?.add(snapshot);
    if (this.#lines === undefined) return;
    for (const window of dueWindows(snapshot)) {
      const w = snapshot.windows.indexOf(window);
      this.#lines.write(JSON.stringify(toEvaluationJson(snapshot, w, NOTHING_READ)));
    }
  }
}
