import { performance } from 'node:perf_hooks';
import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import type { OrganicJob } from '../../src/estimators/lanes/lane-job.js';
import { organicEstimates } from '../../src/estimators/lanes/lane-window.js';
import { windowSensitivity } from '../../src/estimators/lanes/window-sensitivity.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { GUARANTEES } from '../../src/estimators/uncertainty/guarantees.js';
import {
  type ItemCounts,
  LIST_PARTIAL,
  NOT_IN_LIST,
  type WindowPart,
} from '../../src/state/panes/window-part.js';
import type { BenchResult } from './result.js';

const ROWS = 1_000_000;
const USERS = 100_000;
const BOOTSTRAP_USERS = 200_000;
const ITEMS = 20_000;
const MODELS = ['a', 'b', 'c'];
const IN_LIST = 0.3;
const LIST_LENGTH = 50;
const ROUNDS = 5;

const OPTIONS: EstimateOptions = {
  // Asking for dcg gives it uncut as well: five metrics a model, two more than the target names.
  metrics: ['recall', 'dcg'],
  ks: [5, 10],
  estimators: ['naive', 'snips', 'gs', 'skew', 'wtd_h'],
  gamma: 2,
  gammaStdErr: 0,
  interval: 't-logit',
  guarantees: [],
  reference: undefined,
  strata: 5,
  strataScheme: 'popularity-width',
  cold: 'smooth',
  smoothing: 0.5,
  catalogueSize: ITEMS,
  sampleShare: 0.5,
  posteriorExponent: 2,
};

const BOOTSTRAP: EstimateOptions = {
  ...OPTIONS,
  metrics: ['recall'],
  ks: [10],
  estimators: ['snips'],
  interval: 'bootstrap',
};

/**
 * One tick without differences over a window of a million positive rows, three models, all
 * estimators in both aggregations: total time on one core, best of rounds;
 * then what intervals and differences cost, and the bootstrap of one estimator.
 */
export async function benchTick(): Promise<BenchResult[]> {
  const random = mulberry32(7);
  const counts = makeCounts(random);
  const part = makePart(random, counts);
  const bare = await bestOf(part, counts, { ...OPTIONS, reference: 'nobody' });
  const full = { ...OPTIONS, guarantees: GUARANTEES };
  const { total } = await bestOf(part, counts, full);
  const many = makePart(random, counts, BOOTSTRAP_USERS);
  const bootstrap = await bestOf(many, counts, BOOTSTRAP);
  const spent = await spentOn(part, counts);
  const sensitivity = await benchSensitivity(part, counts);
  const detail = `${ROWS} rows, ${USERS} users, ${ITEMS} items, first round ${bare.first.toFixed(0)} ms; spent on ${spent}`;
  return [
    {
      id: 'tick.million_rows',
      value: bare.total,
      unit: 'ms',
      target: '<= 400',
      ok: bare.total <= 400,
      detail,
    },
    sensitivity,
    {
      id: 'tick.intervals_and_differences',
      value: total / bare.total,
      unit: 'x bare',
      target: '<= 2.0',
      ok: total / bare.total <= 2,
      detail: `differences to one model and all bounds: ${total.toFixed(0)} ms, without ${bare.total.toFixed(0)} ms`,
    },
    {
      id: 'tick.bootstrap',
      value: bootstrap.total,
      unit: 'ms',
      target: '<= 500',
      ok: bootstrap.total <= 500,
      detail: `${BOOTSTRAP_USERS} users, B = 100, SNIPS both ways, with the tick`,
    },
  ];
}

/** What bands and flips add to the tick, their sums by level included: in turns, best of each. */
async function benchSensitivity(part: WindowPart, counts: ItemCounts): Promise<BenchResult> {
  const options = { ...OPTIONS, reference: 'nobody' };
  let job!: OrganicJob;
  const keep = (own: OrganicJob) => {
    job = own;
  };
  const { results, sensitivity } = estimateWindow({ part, counts, models: MODELS, options, keep });
  const { levels, ...columns } = job.columns;
  const withoutLevels = { ...job, columns };
  const best = {
    all: Number.POSITIVE_INFINITY,
    withLevels: Number.POSITIVE_INFINITY,
    without: Number.POSITIVE_INFINITY,
    bands: Number.POSITIVE_INFINITY,
  };
  for (let round = 0; round < 2 * ROUNDS; round++) {
    best.all = Math.min(best.all, tick(part, counts, options));
    const own = timed(() => organicEstimates(job));
    best.withLevels = Math.min(best.withLevels, own.ms);
    const other = timed(() => organicEstimates(withoutLevels));
    best.without = Math.min(best.without, other.ms);
    const sums = own.result.levels;
    const bands = () => windowSensitivity(levels!.counts, sums, results, options);
    best.bands = Math.min(best.bands, timed(bands).ms);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const flips = sensitivity.reduce((sum, own) => sum + own.flips.length, 0);
  const without = best.all - (best.withLevels - best.without) - best.bands;
  const value = best.all / without - 1;
  return {
    id: 'tick.bands_and_flips',
    value,
    unit: 'of the tick',
    target: '<= 0.10',
    ok: value <= 0.1,
    detail: `${sensitivity.length} measures, ${MODELS.length} models, ${flips} flips: ${best.all.toFixed(0)} ms, without ${without.toFixed(0)} ms`,
  };
}

function timed<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const begin = performance.now();
  const result = work();
  return { ms: performance.now() - begin, result };
}

/** What each estimator adds to the ones before it. */
async function spentOn(part: WindowPart, counts: ItemCounts): Promise<string> {
  const shares: string[] = [];
  let before = 0;
  for (let size = 1; size <= OPTIONS.estimators.length; size++) {
    const estimators = OPTIONS.estimators.slice(0, size);
    const { total } = await bestOf(part, counts, { ...OPTIONS, estimators, reference: 'nobody' });
    shares.push(`${estimators[size - 1]} ${(total - before).toFixed(0)}`);
    before = total;
  }
  return `${shares.join(', ')} ms`;
}

async function bestOf(part: WindowPart, counts: ItemCounts, options: EstimateOptions) {
  const best = { total: Number.POSITIVE_INFINITY, first: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const total = tick(part, counts, options);
    if (round === 0) best.first = total;
    best.total = Math.min(best.total, total);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return best;
}

/** How long the estimates of a window take, ms. */
function tick(part: WindowPart, counts: ItemCounts, options: EstimateOptions): number {
  const begin = performance.now();
  const models = options.interval === 'bootstrap' ? MODELS.slice(0, 1) : MODELS;
  estimateWindow({ part, counts, models, options });
  return performance.now() - begin;
}

/** Counts by a power law: the item at popularity rank r has about 20,000 / (r + 1)^0.9 of them. */
export function makeCounts(random: () => number): ItemCounts {
  const popularity = Float64Array.from({ length: ITEMS }, (_, item) =>
    Math.floor((20_000 * (0.5 + random())) / (item + 1) ** 0.9),
  );
  return {
    items: ITEMS,
    popularity,
    interactions: popularity,
    randomized: new Float64Array(ITEMS),
    compareIds: (a, b) => a - b,
  };
}

export function makePart(random: () => number, counts: ItemCounts, users = USERS): WindowPart {
  const cumulated = new Float64Array(ITEMS);
  let sum = 0;
  for (let item = 0; item < ITEMS; item++) {
    sum += counts.popularity[item];
    cumulated[item] = sum;
  }
  const userStart = new Int32Array(users + 1);
  // From 2 rows a user up to 50: as skewed as activity tends to be.
  const activity = Float64Array.from({ length: users }, () => 1 / (0.02 + random()));
  const scale = ROWS / activity.reduce((a, b) => a + b, 0);
  let rows = 0;
  for (let user = 0; user < users; user++) {
    rows = Math.min(ROWS, rows + Math.max(1, Math.round(activity[user] * scale)));
    userStart[user + 1] = rows;
  }
  userStart[users] = ROWS;
  return {
    users,
    userKey: Int32Array.from({ length: users }, (_, u) => u),
    userStart,
    userCount: Float64Array.from(
      { length: users },
      (_, u) => 5 * (userStart[u + 1] - userStart[u]),
    ),
    userRandomized: new Float64Array(users),
    randomizedUsers: 0,
    randomizedItems: 0,
    rows: ROWS,
    item: Int32Array.from({ length: ROWS }, () => lowerBound(cumulated, random() * sum)),
    positive: new Uint8Array(ROWS).fill(1),
    traffic: new Uint8Array(ROWS).fill(1),
    ranks: MODELS.map(() =>
      Uint16Array.from({ length: ROWS }, () =>
        random() < IN_LIST ? Math.floor(random() * LIST_LENGTH) : NOT_IN_LIST,
      ),
    ),
    lists: MODELS.map(() => new Uint16Array(ROWS).fill(LIST_PARTIAL | LIST_LENGTH)),
  };
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The tick above without differences, whole at each call. */
export function millionRows(): () => void {
  const random = mulberry32(7);
  const counts = makeCounts(random);
  const part = makePart(random, counts);
  return () => {
    tick(part, counts, { ...OPTIONS, reference: 'nobody' });
  };
}

/** The users of the window above who have its first 400,000 rows, with one model, for wtd_h. */
export function interventionWindow() {
  const random = mulberry32(7);
  const counts = makeCounts(random);
  const whole = makePart(random, counts);
  const rows = 400_000;
  const users = whole.userStart.findIndex((start) => start >= rows);
  const part: WindowPart = {
    ...whole,
    users,
    rows: whole.userStart[users],
    ranks: whole.ranks.slice(0, 1),
    lists: whole.lists.slice(0, 1),
  };
  const options: EstimateOptions = {
    ...OPTIONS,
    metrics: ['recall'],
    ks: [10],
    estimators: ['wtd_h'],
  };
  return { part, counts, options };
}
