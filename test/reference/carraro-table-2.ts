import { estimate } from '../oracle/window.js';
import { heldOutWindow, type Ranker, recallOn, splitRatings } from './carraro-protocol.js';
import { coatRatings } from './coat.js';

export const CARRARO_ESTIMATORS = ['full', 'reg', 'skew', 'wtd', 'wtd_h'] as const;
type Column = (typeof CARRARO_ESTIMATORS)[number];

/** Mean of 300 splits, and the standard deviation of a mean of 10. */
type Known = readonly [mean: number, stdDev: number];

/** Recall@10 against the MAR part, and the interventions' deviation from it in per cent. */
export const CARRARO_MEASURED: Record<Ranker, Record<Column | 'truth', Known>> = {
  posPop: {
    truth: [0.07, 0.004],
    full: [130, 13],
    reg: [128, 16],
    skew: [23, 11],
    wtd: [7, 12],
    wtd_h: [-40, 7],
  },
  avgRating: {
    truth: [0.069, 0.003],
    full: [57, 11],
    reg: [47, 12],
    skew: [24, 10],
    wtd: [16, 10],
    wtd_h: [13, 11],
  },
};

/** Mean recall against the MAR part, and each mean's deviation from it in per cent. */
export function carraroTable2(ranker: Ranker, splits: number): Record<Column | 'truth', number> {
  const train = coatRatings('train');
  const test = coatRatings('test');
  const sums = { truth: 0, full: 0, reg: 0, skew: 0, wtd: 0, wtd_h: 0 };
  for (let split = 0; split < splits; split++) {
    const mnar = splitRatings(train, [0.6, 0.4], 2 * split);
    const mar = splitRatings(test, [0.15, 0.15, 0.7], 2 * split + 1);
    sums.truth += recallOn(ranker, mnar[0], mar[2]);
    const { results } = estimate(heldOutWindow(ranker, mnar[0], mnar[1], mar[0]), {
      metrics: ['recall'],
      ks: [10],
      estimators: [...CARRARO_ESTIMATORS],
      smoothing: 0.5,
    });
    for (const { estimator, form: aggregation, value } of results) {
      if (aggregation === 'user') sums[estimator as Column] += value;
    }
  }
  const deviation = (column: Column) => 100 * (sums[column] / sums.truth - 1);
  return {
    truth: sums.truth / splits,
    full: deviation('full'),
    reg: deviation('reg'),
    skew: deviation('skew'),
    wtd: deviation('wtd'),
    wtd_h: deviation('wtd_h'),
  };
}
