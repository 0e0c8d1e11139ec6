import { mean } from 'simple-statistics';
import { snipsRating } from '../../src/estimators/ratings/rating-snips.js';
import { FACTOR_DEFAULTS } from '../../src/learning/factors/factor-options.js';
import { type Factors, predictedRating } from '../../src/learning/factors/factors.js';
import { evenWeights, fitFactors } from '../../src/learning/factors/fit-factors.js';
import { chosenRatings, type Ratings } from '../../src/learning/ratings/ratings.js';
import { foldsOf } from '../../src/learning/validation/folds.js';
import { coatProblem, errorsOf } from '../reference/coat-learning.js';
import type { Row, Table } from './table.js';

/** One of two halves is learned from. */
const HALVES = 2;

interface Trial {
  readonly truth: Pair;
  readonly naive: Pair;
  readonly snips: Pair;
}
/** MAE of MF-naive and of MF-IPS. */
type Pair = readonly [plain: number, weighted: number];

/** Which of MF and MF-IPS is better, by held-out ratings that users chose to give. */
export function heldOutWinner(seeds = 8): Table {
  const trials = Array.from({ length: seeds }, (_, n) => trial(n + 1));
  return {
    title: `Which of MF-naive and MF-IPS is better on Coat: ${seeds} held-out halves of what users chose`,
    rows: [
      ...rows(
        'random ratings',
        trials.map(({ truth }) => truth),
        'MF-IPS',
      ),
      ...rows(
        'held out, naive',
        trials.map(({ naive }) => naive),
        'MF-naive',
      ),
      ...rows(
        'held out, SNIPS',
        trials.map(({ snips }) => snips),
        'MF-IPS',
      ),
    ],
    note: 'The plain mean over held-out ratings names the wrong winner; by the shipped propensities it is the right one.',
  };
}

/** The errors are shown; what is known is which model each way has to name. */
function rows(what: string, values: Pair[], winner: 'MF-naive' | 'MF-IPS'): Row[] {
  const wins = values.filter(([a, b]) => (winner === 'MF-IPS' ? b < a : a < b)).length;
  const [plain, weighted] = [0, 1].map((n) => mean(values.map((pair) => pair[n])).toFixed(3));
  return [
    {
      what: `${what}: MAE of MF-naive, MF-IPS`,
      ...{ paper: '–', ours: `${plain}, ${weighted}`, heldTo: '–', isOk: true },
    },
    {
      what: `${what}: the better one`,
      ...{ paper: '–', ours: `${winner} ${wins} of ${values.length}`, heldTo: 'every time' },
      isOk: wins === values.length,
    },
  ];
}

function trial(seed: number): Trial {
  const { train, test, shipped } = coatProblem();
  const half = foldsOf(train, HALVES, seed);
  const all = Int32Array.from(half.keys());
  const part = (fold: number) => all.filter((r) => half[r] === fold);
  const [learned, held] = [part(0), part(1)].map((r) => chosenRatings(train, r));
  const learnedWeight = Float64Array.from(part(0), (r) => shipped[r] * HALVES);
  const propensity = Float64Array.from(part(1), (r) => 1 / shipped[r]);
  const factorsOf = (weight: Float64Array) =>
    fitFactors(learned, weight, { ...FACTOR_DEFAULTS, size: 20, lambda: 1e-3, seed }).factors;
  const fits = [factorsOf(evenWeights(learned)), factorsOf(learnedWeight)] as const;
  const both = (of: (factors: Factors) => number): Pair => [of(fits[0]), of(fits[1])];
  return {
    truth: both((factors) => errorsOf(factors, test).mae),
    naive: both((factors) => errorsOf(factors, held).mae),
    snips: both((factors) => snipsRating(absoluteErrors(factors, held), propensity)),
  };
}

function absoluteErrors(factors: Factors, { user, item, rating }: Ratings): Float64Array {
  return rating.map((value, r) => Math.abs(value - predictedRating(factors, user[r], item[r])));
}
