import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRows } from '../../src/commands/files/read-rows.js';
import { KINDS, rowSettings, rowsQuery } from '../../src/commands/files/rows-query.js';
import { PastWindows } from '../../src/stream/files/past-windows.js';
import { pastStepMs } from '../../src/stream/files/seed.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { dueWindows, type Snapshot } from '../../src/stream/tick/snapshot.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import { differences } from '../support/compare.js';
import { type Event, feed, smallOptions } from '../support/log.js';
import { duckdb, writeQuery } from '../support/parquet-file.js';
import { quietIo } from '../support/quiet-io.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import { tablesOf, writeLog } from '../support/rows-log.js';

const ACTIONS = { view: 0, click: 1, purchase: 5 };
const MINUTE = 60_000;
const SMALL = smallOptions().estimates;
/** In the short form those by which rows and counts differ: others follow from the same. */
const FEW = { metrics: ['dcg', 'auc'], ks: [2], estimators: ['snips', 'wtd_h'] } as const;
const estimates = IS_LONG ? SMALL : { ...SMALL, ...FEW };

/** Panes of minutes, so that what follows a click does so across panes, and in one. */
const SETTINGS: Partial<MonitorOptions> = {
  tickMs: 5 * MINUTE,
  attributionTtlMs: 75 * MINUTE,
  latenessMs: 0,
  actions: ACTIONS,
  dedupeTtlMs: 1,
  estimates,
  windows: [
    { name: 'short', ms: 30 * MINUTE, everyMs: 30 * MINUTE },
    { name: 'long', ms: 240 * MINUTE, everyMs: 60 * MINUTE },
  ],
};
/** Horizons whose buckets are of several panes, and of one; steps that do and do not divide them. */
const ASKED: readonly Partial<MonitorOptions>[] = [
  { popularity: { horizonMs: 1505 * MINUTE, of: 'positive' } },
  {
    popularity: { horizonMs: 40 * 60 * MINUTE, of: 'positive', randomized: 'ignore' },
    estimates: { ...estimates, feedback: 'withhold' },
  },
  {
    popularity: { horizonMs: 22 * 60 * MINUTE, of: 'all', randomized: 'ignore', userCap: 3 },
    estimates: { ...estimates, estimators: ['snips', 'reg'], feedback: 'caution' },
  },
  {
    popularity: { horizonMs: 1000 * MINUTE, of: 'positive', caused: 'ignore' },
    estimates: { ...estimates, interval: 'bootstrap', feedback: 'withhold' },
  },
];

/** Of what rows and counts are asked, as much as goes together. */
const ALL_AT_ONCE: Partial<MonitorOptions> = {
  popularity: {
    horizonMs: 1000 * MINUTE,
    of: 'all',
    randomized: 'ignore',
    caused: 'ignore',
    userCap: 3,
  },
  estimates: {
    ...estimates,
    estimators: ['snips', 'wtd_h', 'reg'],
    interval: 'bootstrap',
    feedback: 'withhold',
  },
};
/** The log that is asked so. */
const ALL = 41;

const GAMMAS = [1.5, 'fit', 'fit', 'auto'] as const;

const optionsOf = (n: number) =>
  smallOptions({
    ...SETTINGS,
    gamma: { use: GAMMAS[n % 4]!, fit: 'ols', default: 2, periodMs: 335 * MINUTE },
    ...(n === ALL ? ALL_AT_ONCE : ASKED[n % ASKED.length]),
  });

/** By day so many that users, items and models still change. */
const EVENTS = repetitions(850, 1600);
/** The longest silence. */
const SILENCE = repetitions(300, 900) * MINUTE;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-past-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Events of all kinds in order of time, with gaps, of which users, items and models come and go. */
function drawnLog(seed: number): Event[] {
  const random = mulberry32(seed);
  const below = (n: number) => Math.floor(random() * n);
  let ts = 1_700_000_000_000;
  const named: string[] = [];
  return Array.from({ length: EVENTS }, (_, n): Event => {
    ts += 1 + (random() < 0.006 ? below(SILENCE) : below(2 * MINUTE));
    const user = `u${below(9) + Math.floor(n / 200)}`;
    const item = () => `i${Math.floor(random() ** 3 * 30) + Math.floor(n / 700)}`;
    const isRandomized = random() < 0.12;
    if (random() < 0.4) {
      const items = [...new Set([item(), item(), item(), item()])];
      const model = `m${below(3) + (n > 800 ? 1 : 0)}`;
      named.push(`e${n}`);
      return {
        type: 'exposure',
        id: `e${n}`,
        ts,
        user,
        model,
        items,
        shown: random() < 0.8,
        randomized: isRandomized,
      };
    }
    const names = random() < 0.4 ? { exposure: named.at(-1 - below(20)) ?? 'none' } : {};
    return {
      type: 'interaction',
      id: `x${n}`,
      ts,
      user,
      item: item(),
      value: below(3),
      ...names,
      randomized: random() < 0.1,
      action: ['view', 'click', 'purchase'][below(3)]!,
    };
  });
}

/** The tables of a log, as DuckDB makes them, read as a command reads them. */
async function pastOf(log: readonly Event[], options: MonitorOptions, name: string) {
  const events = join(folder, `${name}.ndjson`);
  await writeLog(events, log as never);
  await (await duckdb()).run(tablesOf(events));
  await mkdir(join(folder, name));
  const paths: string[] = [];
  for (const kind of KINDS) {
    const path = join(folder, name, `${kind}.parquet`);
    await writeQuery(path, rowsQuery('duckdb', kind, rowSettings(options)));
    paths.push(path);
  }
  const past = new PastWindows(options, options);
  await readRows(paths, past, quietIo);
  return past;
}

/** What a tick says, of the windows that were computed at it. */
function said({ isBackfilled: _, ...snapshot }: Snapshot) {
  const windows = dueWindows(snapshot).map(({ controlVariates: _, ...window }) => window);
  return { ...snapshot, windows };
}

/** Whether γ is what an older tick left, or waits for another source. */
const isOfAnother = ({ propensity: { source, auto } }: Pick<Snapshot, 'propensity'>) =>
  source === 'last_good' || auto?.asking !== undefined;

describe('past windows computed from rows', () => {
  const seeds = IS_LONG ? [...Array.from({ length: 8 }, (_, n) => n), ALL] : [ALL];
  it.each(seeds)('equal those of the stream at the same tick, log %i', async (n) => {
    const options = optionsOf(n);
    const log = drawnLog(n + 1);
    const past = await pastOf(log, options, `log${n}`);
    const step = pastStepMs(options);
    const how = { partitions: 1, batchSize: 64, run: 1, actions: ACTIONS };
    const streamed = feed(log, options, how).snapshots.filter(
      ({ paneEnd }) => paneEnd % step === 0,
    );
    const wanted = new Map(streamed.map((snapshot) => [snapshot.paneEnd, said(snapshot)]));
    const made = [...past.snapshots()];
    expect(made.map(({ paneEnd }) => paneEnd)).toEqual([...wanted.keys()]);
    expect(made.length).toBeGreaterThan(repetitions(30, 60));
    let compared = 0;
    for (const snapshot of made) {
      const streamed = wanted.get(snapshot.paneEnd)!;
      // A γ that a tick between two steps left is in no counts.
      if (isOfAnother(streamed) || isOfAnother(snapshot)) continue;
      compared++;
      const found = differences(said(snapshot), streamed, 1e-12);
      expect(found.slice(0, 20), `at ${snapshot.paneEnd}`).toEqual([]);
    }
    expect(compared).toBeGreaterThan(repetitions(20, 40));
  });
});
