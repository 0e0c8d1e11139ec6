import { estimateRatings } from '../../src/features/ratings/estimate-ratings.js';
import type { RatingOptions } from '../../src/features/ratings/rating-options.js';
import { type RatedPart, UNRANKED } from '../../src/state/panes/window-part.js';
import { seeded } from '../oracle/random.js';
import { cpuMs, medianOf } from './cpu-time.js';
import type { BenchResult } from './result.js';
import { millionRows } from './tick.js';

const ROWS = 1_000_000;
const USERS = 100_000;
const ITEMS = 20_000;
const MODELS = ['a', 'b', 'c'];
const RANDOM_SHARE = 0.05;
const ROUNDS = 9;
/** Rounds that pay for compilation. */
const WARM_UP = 3;

const OPTIONS: RatingOptions = {
  metrics: ['mae', 'mse', 'rmse', 'accuracy'],
  ks: [],
  estimators: ['naive', 'snips'],
  scale: { lowest: 1, highest: 5, step: 1 },
  propensity: 'nb',
  smoothing: 1,
  isCatalogueKnown: true,
};

/**
 * A million rated pairs that three models predicted, by four metrics with differences, intervals,
 * propensities by the rating and calibration, against the estimates of a million rows of as many
 * models: the processor's time, in turns, median of rounds.
 */
export async function benchRatings(rows = ROWS): Promise<BenchResult[]> {
  const part = ratedPart(rows);
  const ranked = millionRows();
  const rated = () => estimateRatings(part, { models: MODELS, items: ITEMS, options: OPTIONS });
  const rounds = Array.from({ length: ROUNDS }, () => ({
    own: cpuMs(rated),
    other: cpuMs(ranked),
  }));
  const warm = rounds.slice(WARM_UP);
  const own = medianOf(warm.map((round) => round.own));
  const other = medianOf(warm.map((round) => round.other));
  const ratios = warm.map((round) => round.own / round.other).sort((a, b) => a - b);
  const spread = `${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`;
  const share = own / other;
  return [
    {
      id: 'ratings.tick',
      value: share,
      unit: 'x rows',
      target: '<= 0.8',
      ok: share <= 0.8,
      detail: `${rows.toLocaleString('en')} pairs, ${MODELS.length} models, ${OPTIONS.metrics.length} metrics: ${own.toFixed(0)} ms of the processor, a million rows by rank ${other.toFixed(0)} ms; ${spread} in ${warm.length} turns`,
    },
  ];
}

/** Users of ten pairs each on average; every model predicts all of them. */
function ratedPart(rows: number): RatedPart {
  const random = seeded(7);
  const ends = Array.from({ length: USERS - 1 }, () => Math.floor(random() * rows));
  const rating = Float32Array.from({ length: rows }, () => 1 + Math.floor(random() * 5));
  const predictedBy = () => rating.map((value) => (value + 6 * random()) / 2);
  return {
    users: USERS,
    start: Int32Array.from([0, ...ends, rows]).sort(),
    user: Int32Array.from({ length: USERS }, (_, user) => user),
    userCount: new Float64Array(USERS).fill(rows / USERS),
    item: Int32Array.from({ length: rows }, () => Math.floor(random() * ITEMS)),
    rating,
    isRandom: Uint8Array.from({ length: rows }, () => (random() < RANDOM_SHARE ? 1 : 0)),
    propensity: new Float32Array(rows),
    ranks: MODELS.map(() => new Uint16Array(rows).fill(UNRANKED)),
    scores: MODELS.map(predictedBy),
    offScale: 0,
  };
}
