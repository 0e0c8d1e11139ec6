import { AppendedLines } from '../../adapters/files/appended-lines.js';
import { HistoryFile } from '../../adapters/files/history-file.js';
import type { Config } from '../../config.js';
import { History } from '../../outputs/history/history.js';
import { tickValues } from '../../outputs/history/tick-values.js';
import type { QualityReport } from '../../outputs/http/schema/quality.js';
import { toEvaluationJson } from '../../outputs/text/evaluation.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { Pipeline } from '../../stream/pipeline.js';
import { dueWindows, type Snapshot } from '../../stream/snapshot.js';
import type { Logger } from '../cli/io.js';
import type { Endings } from './endings.js';
import { KeptResults, resultPlaceAt } from './kept-results.js';
import type { LatestSnapshot } from './latest-snapshot.js';

/** What was refused has no event time that a window could own: the metrics count it. */
const NOTHING_READ = new Outcomes();

/** Where ticks are kept: the file of estimates, and the history in memory and in its folder. */
export class KeptTicks {
  readonly history: History;
  readonly #config: Config;
  readonly #log: Logger;
  #lines: AppendedLines | undefined;
  #results: KeptResults | undefined;
  #historyFile: HistoryFile | undefined;

  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#log = log;
    this.history = new History(config.history);
  }

  /** Keeps what the pipeline makes from now on. */
  follow(pipeline: Pipeline, latest: LatestSnapshot, quality: () => QualityReport): void {
    latest.snapshots$.subscribe((snapshot) => this.#remember(snapshot, quality()));
    pipeline.ticks$.subscribe(({ snapshot }) => this.#write(snapshot));
  }

  /** Opens the files that are configured. */
  async open(endings: Endings): Promise<void> {
    const { estimatesFile, history, results } = this.#config;
    if (results.out !== undefined) {
      const place = await resultPlaceAt(results.out, this.#config);
      const kept = new KeptResults(place, this.#config, this.#log);
      this.#results = kept;
      endings.opened({ name: 'the tables of results', end: () => kept.close() });
    }
    if (estimatesFile !== undefined) {
      const lines = await AppendedLines.open(estimatesFile, (error) => {
        this.#log.error({ err: error }, 'estimates are no longer written to the file');
        this.#lines = undefined;
      });
      this.#lines = lines;
      endings.opened({ name: 'the file of estimates', end: () => lines.close() });
    }
    const { dir } = history;
    if (dir === undefined) return;
    const file = await HistoryFile.open(dir, this.history, (error) => {
      this.#log.error({ err: error, dir }, 'the history is no longer kept in its folder');
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
