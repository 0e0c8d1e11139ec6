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
const WORKERS = 4;
const ITEMS = 100_000;
const USERS = 6_000;
const INTERACTIONS = 240_000;
const LIST = 20;
const START_TS = 1_750_000_000_000;
const TICK_MS = 60_000;
const PANES = 40;
/** Between these panes it is measured how many are concluded in a minute. */
const WARM = 8;
const MEASURED = 24;
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
 * Four workers of a group that catch up by Kafka alone, 24 partitions and 100,000 items: how long a
 * tick waits for the sums of others, how many panes they conclude in a minute, and how long it takes
 * from the end of one of them, which leaves the group as it should, to the next number.
 */
export async function benchExchange(brokers: string): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  const topics = await TestTopics.create(brokers, PARTITIONS);
  const workers: RunningService[] = [];
  try {
    await send(topics);
    const paths = Array.from({ length: WORKERS }, (_, w) => join(folder, `${w}.ndjson`));
    const settings = { ...topics.settings, ...SETTINGS, UNSKEW_STATE_DIR: join(folder, 'state') };
    for (const path of paths) {
      const own = { ...settings, UNSKEW_ESTIMATES_FILE: path };
      workers.push(await RunningService.start(['serve'], own));
    }
    const windows = new WrittenWindows();
    const end = async (pane: number) => {
      const until = START_TS + pane * TICK_MS;
      const look = () => windows.count(paths).then(() => windows.until);
      await eventually(`the numbers of pane ${pane}`, look, (seen) => seen >= until, 600_000);
      return performance.now();
    };
    const begun = await end(WARM);
    const before = await waits(workers);
    const minutes = ((await end(MEASURED)) - begun) / 60_000;
    const after = await waits(workers);
    const spent = after.map(([le, n], b) => [le, n - (before[b]?.[1] ?? 0)] as const);
    // The one that writes the numbers stays.
    const leaver = workers[(await keeper(workers)) === 0 ? 1 : 0]!;
    await leaver.stop();
    const left = performance.now();
    await windows.count(paths);
    const next = (windows.until - START_TS) / TICK_MS + 1;
    const seconds = ((await end(next)) - left) / 1000;
    const ofPanes = `${MEASURED - WARM} panes, ${WORKERS} workers`;
    return [
      most(
        'exchange.p50',
        quantile(spent, 0.5),
        's',
        0.8,
        `a tick waits in its rounds; ${ofPanes}`,
      ),
      most('exchange.p99', quantile(spent, 0.99), 's', 2.5, `from buckets of a histogram`),
      most('exchange.rebalance', seconds, 's', 10, `pane ${next}, after one of them has left`),
      {
        id: 'exchange.panes',
        value: (MEASURED - WARM) / minutes,
        unit: 'a minute',
        target: '>= 60',
        ok: (MEASURED - WARM) / minutes >= 60,
        detail: 'catching up',
      },
    ];
  } finally {
    for (const worker of workers) await worker.kill();
    await topics.delete();
    await rm(folder, { recursive: true, force: true });
  }
}

function most(id: string, value: number, unit: string, bound: number, detail: string): BenchResult {
  return { id, value, unit, target: `< ${bound}`, ok: value < bound, detail };
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

type Buckets = readonly (readonly [le: number, ticks: number])[];

/** How long ticks of all workers have waited, by upper bounds. */
async function waits(workers: readonly RunningService[]): Promise<Buckets> {
  const ticks = new Map<number, number>();
  for (const series of await Promise.all(workers.map((worker) => worker.scrape()))) {
    for (const { name, labels, value } of series) {
      if (name !== 'unskew_exchange_seconds_bucket') continue;
      const le = Number(labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : labels['le']);
      ticks.set(le, (ticks.get(le) ?? 0) + value);
    }
  }
  return [...ticks].sort(([a], [b]) => a - b);
}

/** As Prometheus has it: within a bucket ticks lie evenly, and of the last one its beginning is known. */
function quantile(buckets: Buckets, share: number): number {
  const wanted = share * (buckets.at(-1)?.[1] ?? Number.NaN);
  const at = buckets.findIndex(([, ticks]) => ticks >= wanted);
  const [le, ticks] = buckets[at] ?? [Number.NaN, Number.NaN];
  const [from, below] = buckets[at - 1] ?? [0, 0];
  return Number.isFinite(le) ? from + ((wanted - below) / (ticks - below)) * (le - from) : from;
}

/** Which of them shows the estimates: it has the first partition. */
async function keeper(workers: readonly RunningService[]): Promise<number> {
  const all = await Promise.all(workers.map((worker) => worker.scrape()));
  return all.findIndex((series) => series.some(({ name }) => name === 'unskew_estimate'));
}
