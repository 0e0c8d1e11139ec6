import { setImmediate as nextTurn } from 'node:timers/promises';
import { BACKFILLED_FILE, HistoryFile } from '../../adapters/files/history-file.js';
import { resultFile } from '../../adapters/parquet/parquet.js';
import { formatDuration } from '../../config/units.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { pastOptions } from '../../features/options.js';
import { History } from '../../outputs/history/history.js';
import { resultName, resultTable } from '../../outputs/history/result-table.js';
import { tickValues } from '../../outputs/history/tick-values.js';
import { counted } from '../../rows/figures.js';
import { PastWindows } from '../../stream/files/past-windows.js';
import type { CommandIo } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';
import { readRows } from '../files/read-rows.js';
import { resultPlaceAt } from './kept-ticks.js';
import { monitorOptions } from './monitor-options.js';

export interface BackfillOptions {
  readonly config: Config;
  /** Paths of files with rows in the format `unskew/rows@1`. */
  readonly rows: readonly string[];
  /**
   * Event time, ms. The first computed window is the first one that ends here or later; by default,
   * the first window of the rows.
   */
  readonly since?: number | undefined;
}

const NOT_HELD = [
  'requests',
  'ratings',
  'segments from event dimensions',
  'reach of lists',
  'alarms',
  'verdicts',
];

/**
 * `unskew backfill`: compute past windows from rows and add them to a service's results and
 * history. Windows that the service computed itself stay. If it is interrupted, run it again: it
 * writes each window completely and only once.
 */
export async function backfill(
  { config, rows, since }: BackfillOptions,
  io: CommandIo,
): Promise<void> {
  const { results, history } = config;
  const place = results.out === undefined ? undefined : await resultPlaceAt(results.out, config);
  if (place === undefined && history.dir === undefined) {
    throw new UnskewError(
      'USAGE',
      'set results.out or history.dir: past windows are written there',
    );
  }
  const options = monitorOptions(config);
  const past = new PastWindows(options, pastOptions(options));
  const lists = await readRows(rows, past, io);
  io.stderr(`note: past windows do not contain these: ${[...NOT_HELD, ...lists].join(', ')}\n`);
  const kept = history.dir === undefined ? undefined : await openedHistory(history.dir);
  const done = {
    ticks: 0,
    files: 0,
    first: 0,
    newest: 0,
  };
  try {
    for (const snapshot of past.snapshots(since)) {
      const bytes = place && resultFile(resultTable(snapshot), packageVersion());
      if (bytes && (await place.putNew(resultName(snapshot.paneEnd), bytes))) {
        done.files++;
      }
      await kept?.add(snapshot.paneEnd, tickValues(snapshot, { topics: [] }), [], true);
      if (done.ticks++ === 0) {
        done.first = snapshot.paneEnd;
      }
      done.newest = snapshot.paneEnd;
      await nextTurn();
      if (io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
    }
  } finally {
    await kept?.close();
  }
  const ended = (time: number) => new Date(time).toISOString();
  if (done.ticks === 0)
    throw new UnskewError('EVENTS', 'no past window ends within the time range of these rows');
  const lines = [`${counted(done.ticks, 'tick')}, ${ended(done.first)} to ${ended(done.newest)}`];
  if (place !== undefined) {
    lines.push(`${place.place}: ${counted(done.files, 'new file')}; existing files are unchanged`);
  }
  if (kept !== undefined) {
    const shown = `the page shows the last ${formatDuration(history.keepMs)} of the history (history.keep)`;
    lines.push(`${history.dir}: ${counted(done.ticks, 'tick')}, ${shown}`);
  }
  io.stdout(`${lines.join('\n')}\n`);
}

/** Open the history folder of a service, with a history that keeps every tick without limit. */
async function openedHistory(dir: string) {
  const ever = Number.POSITIVE_INFINITY;
  const history = new History({
    keepMs: ever,
    dense: ever,
  });
  const file = new HistoryFile(dir, history, BACKFILLED_FILE);
  await file.open();
  return {
    async add(...tick: Parameters<History['add']>): Promise<void> {
      const added = history.add(...tick);
      if (added !== undefined) {
        await file.add(added);
      }
    },
    close: () => file.close(),
  };
}
