import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeEvent } from '../../src/events/encode.js';
import { WrittenWindows } from '../support/estimate-lines.js';
import { eventually, RunningService } from '../support/program.js';
import { TestTopics } from '../support/topics.js';
import type { BenchResult } from './result.js';
import { MODELS, mulberry32, powerLawItem } from './synthetic-log.js';

const PARTITIONS = 24;
const READERS = 3;
const ITEMS = 100_000;
const USERS = 6_000;
const INTERACTIONS = 240_000;
const LIST = 20;
const START_TS = 1_750_000_000_000;
const TICK_MS = 60_000;
const PANES = 40;
/** Between these panes it is measured how many are ticked in a minute. */
const WARM = 10;
const MEASURED = 30;
const SETTINGS = {
  UNSKEW_TIME_TICK: '1m',
  UNSKEW_TIME_WINDOWS: '10m,20m',
  UNSKEW_TIME_LATENESS: '0s',
  UNSKEW_POPULARITY_HORIZON: '1h',
  UNSKEW_GAMMA_PERIOD: '10m',
  UNSKEW_TIME_IDLE: '1s',
  UNSKEW_ESTIMATES_METRICS: 'recall,dcg',
  UNSKEW_ESTIMATES_KS: '5,10',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  UNSKEW_STATE_STORE: 'file',
  UNSKEW_STATE_EVERY: '2s',
};

/**
 * Three readers and a ticker that catch up, 24 partitions and 100,000 items, each pane with a tick: how
 * many panes they come to in a minute, and how long it takes from the end of a reader, which leaves the
 * group as it should, to the next number.
 */
export async function benchExchange(brokers: string): Promise<BenchResult[]> {
  const [panes, rebalance] = await catchUp(brokers, 1);
  const [backlog] = await catchUp(brokers, 10);
  const bound = { target: '>= 350', ok: backlog!.value >= 350 };
  return [panes!, rebalance!, { ...backlog!, ...bound, id: 'exchange.backlog' }];
}

/** @param backlogPanes every how many panes windows are computed meanwhile */
async function catchUp(brokers: string, backlogPanes: number): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  const topics = await TestTopics.create(brokers, PARTITIONS);
  const workers: RunningService[] = [];
  try {
    await send(topics);
    const path = join(folder, 'estimates.ndjson');
    const settings = {
      ...topics.settings,
      ...SETTINGS,
      UNSKEW_TIME_BACKLOG_PANES: `${backlogPanes}`,
      UNSKEW_STATE_DIR: join(folder, 'state'),
      UNSKEW_ESTIMATES_FILE: path,
    };
    const start = async (role: 'read' | 'tick') => {
      workers.push(await RunningService.start(['serve', '--role', role], settings));
    };
    await start('tick');
    for (let n = 0; n < READERS; n++) await start('read');
    const windows = new WrittenWindows();
    const end = async (pane: number) => {
      const until = START_TS + pane * TICK_MS;
      const look = () => windows.count([path]).then(() => windows.until);
      await eventually(`the numbers of pane ${pane}`, look, (seen) => seen >= until, 600_000);
      return performance.now();
    };
    const begun = await end(WARM);
    const value = (MEASURED - WARM) / (((await end(MEASURED)) - begun) / 60_000);
    const panes = {
      id: 'exchange.panes',
      value,
      unit: 'a minute',
      target: '>= 45',
      ok: value >= 45,
      detail: `${MEASURED - WARM} panes, ${PARTITIONS} partitions, ${ITEMS.toLocaleString('en')} items, catching up, windows computed every ${backlogPanes} panes`,
    };
    // Where windows are computed seldom, the log ends before the next ones are due.
    if (backlogPanes > 1) return [panes];
    await workers.at(-1)!.stop();
    const left = performance.now();
    await windows.count([path]);
    const next = (windows.until - START_TS) / TICK_MS + 1;
    const seconds = ((await end(next)) - left) / 1000;
    return [
      panes,
      {
        id: 'exchange.rebalance',
        value: seconds,
        unit: 's',
        target: '< 10',
        ok: seconds < 10,
        detail: `pane ${Math.round(next)}, after one of ${READERS} readers has left`,
      },
    ];
  } finally {
    for (const worker of workers) await worker.kill();
    await topics.delete();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lists of all models for a user, and then what the user clicked. */
async function send(topics: TestTopics): Promise<void> {
  const random = mulberry32(7);
  const lists: { key: string; value: string }[] = [];
  const clicks: { key: string; value: string }[] = [];
  for (let n = 0; n < INTERACTIONS; n++) {
    const ts = START_TS + Math.floor((n / INTERACTIONS) * PANES * TICK_MS);
    const user = `user-${Math.floor(USERS * random())}`;
    const item = (number: number) => `item-${String(number % ITEMS).padStart(8, '0')}`;
    const first = powerLawItem(random, ITEMS);
    for (const model of n % 15 === 0 ? MODELS : []) {
      const from = model === MODELS[0] ? first : powerLawItem(random, ITEMS);
      const items = Array.from({ length: LIST }, (_, k) => item(from + k));
      const value = encodeEvent({ type: 'exposure', id: `${n}-${model}`, ts, user, model, items });
      lists!.push({ key: user, value: String(value) });
    }
    const chosen = n % 2 === 0 ? first + Math.floor(LIST * random()) : powerLawItem(random, ITEMS);
    const body = { type: 'interaction' as const, id: `${n}`, ts, user, item: item(chosen) };
    clicks!.push({ key: user, value: String(encodeEvent({ ...body, value: 1, action: 'click' })) });
  }
  await topics.send('exposures', lists!);
  await topics.send('interactions', clicks!);
}
