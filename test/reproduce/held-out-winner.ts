import { mean } from 'simple-statistics';
import { type Factors, predictedRating } from '../../src/commands/train/factors.js';
import type { Ratings } from '../../src/commands/train/rating-rows.js';
import { snipsRating } from '../../src/estimators/mean-rating.js';
import { coatHalves } from '../reference/coat-halves.js';
import { errorsOf } from '../reference/coat-learning.js';
import type { Row, Table } from './table.js';

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
    note: 'The plain mean over held-out ratings picks the wrong winner; with the published propensities it is the right one.',
  };
}

/** The errors are shown; what is known is which model each way has to name. */
function rows(what: string, values: Pair[], winner: 'MF-naive' | 'MF-IPS'): Row[] {
  const wins = values.filter(([a, b]) => (winner === 'MF-IPS' ? b < a : a < b)).length;
  const [plain, weighted] = [0, 1].map((n) => mean(values.map((pair) => pair[n])).toFixed(3));
  return [
    {
      what: `${what}: MAE of MF-naive, MF-IPS`,
      paper: '–',
      ours: `${plain}, ${weighted}`,
      heldTo: '–',
      isOk: true,
    },
    {
      what: `${what}: the better one`,
      paper: '–',
      ours: `${winner} ${wins} of ${values.length}`,
      heldTo: 'every time',
      isOk: wins === values.length,
    },
  ];
}

function trial(seed: number): Trial {
  const { held, propensity, random, naive, ips } = coatHalves(seed);
  const both = (of: (factors: Factors) => number): Pair => [of(naive), of(ips)];
  return {
    truth: both((factors) => errorsOf(factors, random).mae),
    naive: both((factors) => errorsOf(factors, held).mae),
    snips: both((factors) => snipsRating(absoluteErrors(factors, held), propensity)),
  };
}

function absoluteErrors(factors: Factors, { user, item, rating }: Ratings): Float64Array {
  return rating.map((value, r) => Math.abs(value - predictedRating(factors, user[r], item[r])));
}
