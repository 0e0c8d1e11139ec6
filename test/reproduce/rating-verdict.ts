import { standardDeviation } from 'simple-statistics';
import { type Factors, predictedRating } from '../../src/commands/train/factors.js';
import { Random } from '../../src/estimators/mathematics/random.js';
import type { RatingOptions } from '../../src/features/ratings/rating-options.js';
import type { PairVerdict } from '../../src/features/verdict.js';
import { type CoatHalves, coatHalves } from '../reference/coat-halves.js';
import { errorsOf } from '../reference/coat-learning.js';
import { smallOptions } from '../support/log.js';
import { type RatingLog, ratingEvents } from '../support/rating-events.js';
import { evaluated } from '../support/request-events.js';
import type { Row, Table } from './table.js';

const RESAMPLES = 400;
const METRICS = ['mae', 'mse'] as const;
type ErrorMetric = (typeof METRICS)[number];
const PLAIN = 'MF-naive';
const WEIGHTED = 'MF-IPS';

interface Trial {
  readonly metric: ErrorMetric;
  readonly verdict: PairVerdict;
  /** Whether random ratings have MF-IPS as the better one, and plain held-out ones MF-naive. */
  readonly isTruth: boolean;
  readonly isNaiveWrong: boolean;
  /** Of the difference, over users that are drawn again. */
  readonly spread: number;
  readonly wins: number;
}

/** What `evaluate` says of two factorisations of Coat, and what users drawn again say of that. */
export async function ratingVerdict(seeds = 8): Promise<Table> {
  const trials: Trial[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const halves = coatHalves(seed);
    for (const metric of METRICS) trials.push(await trial(halves, metric, seed));
  }
  return {
    title: `The verdict of evaluate on MF-naive and MF-IPS of Coat, ${seeds} held-out halves of what users chose`,
    rows: METRICS.flatMap((metric) => rowsOf(trials.filter((each) => each.metric === metric))),
    note: 'Verdicts use snips by the published propensities, with intervals clustered by user. A bootstrap over users checks them.',
  };
}

function rowsOf(trials: readonly Trial[]): Row[] {
  const all = trials.length;
  const { metric } = trials[0];
  const count = (what: string, name: string, is: (trial: Trial) => boolean): Row => {
    const found = trials.filter(is).length;
    return {
      what: `${metric}: ${what}`,
      paper: '–',
      ours: `${name} ${found} of ${all}`,
      heldTo: 'every time',
      isOk: found === all,
    };
  };
  const ratios = trials.map(({ spread, verdict }) => verdict.stdErr / spread);
  const wins = Math.min(...trials.map((each) => each.wins));
  return [
    count('better by random ratings', WEIGHTED, ({ isTruth }) => isTruth),
    count('better by held-out ratings as they are', PLAIN, ({ isNaiveWrong }) => isNaiveWrong),
    count('preferred by the verdict', WEIGHTED, ({ verdict }) => verdict.better === WEIGHTED),
    {
      what: `${metric}: its standard error, over that of ${RESAMPLES} draws of users`,
      paper: '–',
      ours: `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      heldTo: '1 ± .15',
      isOk: ratios.every((ratio) => Math.abs(ratio - 1) <= 0.15),
    },
    {
      what: `${metric}: draws of users in which MF-IPS is the better one, at least`,
      paper: '–',
      ours: wins.toFixed(3),
      heldTo: '≥ .96',
      isOk: wins >= 0.96,
    },
  ];
}

async function trial(halves: CoatHalves, metric: ErrorMetric, seed: number): Promise<Trial> {
  const { held, random, naive, ips } = halves;
  const isBetter = (ratings: CoatHalves['held']) =>
    errorsOf(ips, ratings)[metric] < errorsOf(naive, ratings)[metric];
  const drawn = resampled(halves, metric, seed);
  return {
    metric,
    isTruth: isBetter(random),
    isNaiveWrong: !isBetter(held),
    verdict: await verdictOf(halves, metric),
    spread: standardDeviation(drawn),
    wins: drawn.filter((difference) => difference < 0).length / RESAMPLES,
  };
}

async function verdictOf(halves: CoatHalves, metric: ErrorMetric): Promise<PairVerdict> {
  const asked: RatingOptions = {
    metrics: [metric],
    ks: [],
    estimators: ['naive', 'snips'],
    propensity: 'logged',
    smoothing: 0,
    isCatalogueKnown: true,
    scale: { lowest: 1, highest: 5, step: 1 },
    decides: { metric, k: null },
    reference: PLAIN,
  };
  const options = smallOptions({
    attributionTtlMs: 1e6,
    ratings: asked,
    estimates: { ...smallOptions().estimates, metrics: [], estimators: ['naive'] },
  });
  const { verdicts = [] } = await evaluated(ratingEvents(logOf(halves)), options);
  return verdicts[0];
}

function logOf({ held, propensity, naive, ips }: CoatHalves): RatingLog {
  const matrix = (fill: number) =>
    Array.from({ length: held.users }, () => new Array<number>(held.items).fill(fill));
  const chosen = matrix(0);
  const propensities = matrix(1);
  held.rating.forEach((rating, r) => {
    chosen[held.user[r]][held.item[r]] = rating;
    propensities[held.user[r]][held.item[r]] = propensity[r];
  });
  const by = (factors: Factors) => (user: number, item: number) =>
    predictedRating(factors, user, item);
  const models = { [PLAIN]: by(naive), [WEIGHTED]: by(ips) };
  return { chosen, random: matrix(0), propensities, models };
}

/** MF-IPS minus MF-naive by SNIPS, each time over as many users drawn with replacement. */
function resampled(
  { held, propensity, naive, ips }: CoatHalves,
  metric: ErrorMetric,
  seed: number,
): number[] {
  const gained = new Float64Array(held.users);
  const weights = new Float64Array(held.users);
  held.rating.forEach((rating, r) => {
    const errorOf = (factors: Factors) => {
      const error = Math.abs(rating - predictedRating(factors, held.user[r], held.item[r]));
      return metric === 'mae' ? error : error ** 2;
    };
    gained[held.user[r]] += (errorOf(ips) - errorOf(naive)) / propensity[r];
    weights[held.user[r]] += 1 / propensity[r];
  });
  const random = new Random(seed, 'users');
  return Array.from({ length: RESAMPLES }, () => {
    let numerator = 0;
    let denominator = 0;
    for (let draw = 0; draw < held.users; draw++) {
      const user = random.below(held.users);
      numerator += gained[user];
      denominator += weights[user];
    }
    return numerator / denominator;
  });
}
