import { dcgGain } from '../../src/estimators/metrics/dcg.js';
import { estimate, windowOf } from '../oracle/window.js';

// Items 0-3 are popular, 4-7 belong to the tail. With γ = 1 the propensity goes with the count:
// counts of 3 and 1 give P = .75 and .25 up to the factor that cancels.
const POPULARITY = [3, 3, 3, 3, 1, 1, 1, 1];

export interface YangRow {
  list: string;
  /** Ranks from 1, as the paper prints them. */
  relevant: number[];
  observed: [item: number, rank: number][];
  truth: string;
  naive: string;
  snips: string | null;
}

/** Yang et al. 2018, Table 1: dcg of 12 items, 8 of them relevant, 4 observed. */
export const YANG_TABLE_1: YangRow[] = [
  {
    list: 'Z1',
    relevant: [1, 2, 3, 4, 9, 10, 11, 12],
    observed: [
      [0, 1],
      [1, 2],
      [3, 4],
      [6, 11],
    ],
    truth: '0.46261',
    naive: '0.58514',
    snips: '0.48307',
  },
  {
    list: 'Z2',
    relevant: [1, 2, 3, 4, 9, 10, 11, 12],
    observed: [
      [6, 3],
      [0, 9],
      [1, 10],
      [3, 12],
    ],
    truth: '0.46261',
    naive: '0.34008',
    snips: '0.39339',
  },
  {
    list: 'Z3',
    relevant: [1, 2, 3, 4, 5, 6, 7, 8],
    observed: [
      [0, 3],
      [1, 5],
      [2, 6],
      [7, 8],
    ],
    truth: '0.49418',
    naive: '0.38963',
    snips: null,
  },
];

/** Mean gain over all relevant items, which nobody observes. */
export function trueValue({ relevant }: YangRow): number {
  return relevant.reduce((sum, rank) => sum + dcgGain(rank - 1), 0) / relevant.length;
}

/** What the estimators make of the observed items; one user, so both aggregations are equal. */
export function observedValues({ observed }: YangRow) {
  const items = observed.map(([item, rank]): [number, number] => [item, rank - 1]);
  return estimate(windowOf(POPULARITY, [items]), {
    metrics: ['dcg'],
    ks: [],
    gamma: 1,
    estimators: ['naive', 'snips'],
  }).results;
}
