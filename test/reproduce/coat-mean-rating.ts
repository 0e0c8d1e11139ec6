import { ipsRating, naiveRating, snipsRating } from '../../src/estimators/mean-rating.js';
import { fitLogistic } from '../../src/estimators/propensity/fit-logistic.js';
import { fittedPropensities } from '../../src/estimators/propensity/fitted-propensities.js';
import { noColumns, type PairFeatures } from '../../src/estimators/propensity/logits.js';
import type { PairDesign } from '../../src/estimators/propensity/pair-design.js';
import { fitFigures, weightFigures } from '../../src/estimators/propensity/propensity-figures.js';
import { coatMatrix, coatRatings } from '../reference/coat.js';
import { coatDesign, coatFeatures } from '../reference/coat-design.js';
import { type Row, type Table, within } from './table.js';

const L2 = 10;

/**
 * The mean rating of all pairs of Coat by the propensities that there are, and what these come to.
 *
 * @param isLong with regressions that have an offset of each user and item.
 */
export function coatMeanRating(isLong = true): Table {
  const train = coatRatings('train').flat();
  const given = train.filter((rating) => rating > 0);
  const random = coatRatings('test')
    .flat()
    .filter((rating) => rating > 0);
  const ofGiven = (propensity: ArrayLike<number>) =>
    Array.from(propensity).filter((_, pair) => train[pair] > 0);
  const shipped = ofGiven(coatMatrix('propensities').flat());
  const design = coatDesign();
  const crosses = regression(design, coatFeatures(), 'none');
  const exactly = (what: string, ours: number, expected: number) =>
    within(what, '–', ours, expected, 5e-7, 6);
  return {
    title: 'Coat (Schnabel et al. 2016): mean rating, and logistic regression',
    rows: [
      exactly('mean rating, naive', naiveRating(given), 2.611494),
      exactly('mean rating, random ratings', naiveRating(random), 2.228879),
      // The known value is rounded from 2.3308035.
      within('mean rating, shipped P, SNIPS', '–', snipsRating(given, shipped), 2.330803, 1e-6, 6),
      exactly('mean rating, shipped P, IPS', ipsRating(given, shipped, train.length), 2.424185),
      within(
        'shipped P, effective ratings',
        '–',
        weightFigures(shipped, train.length).ess,
        2211,
        0.5,
        0,
      ),
      exactly('regression on crosses, −ln likelihood', crosses.fit.nll, 20951.427765),
      exactly('regression on crosses, with the ridge', crosses.fit.penalised, 21008.046101),
      exactly('regression on crosses, c', crosses.fit.intercept, -2.420046),
      exactly(
        'regression on crosses, Σ 1/P of what is observed ÷ pairs',
        weightFigures(ofGiven(crosses.propensity), train.length).inversePropensity,
        1.032893,
      ),
      ...(isLong
        ? offsetRows(design, (propensity) => snipsRating(given, ofGiven(propensity)))
        : []),
    ],
    note: 'The reference values of the regression come from our own fit in another language.',
  };
}

function offsetRows(design: PairDesign, meanRating: (propensity: Float64Array) => number): Row[] {
  const none = { users: noColumns(design.users), items: noColumns(design.items) };
  const offsets = regression(design, none, 'both');
  const { margins } = fitFigures(design, regression(design, coatFeatures(), 'both').propensity);
  return [
    within(
      'offsets alone, mean rating, SNIPS: the mean over items',
      '–',
      meanRating(offsets.propensity),
      2.541319,
      // The ridge of 1e-6 on offsets moves P of an item that all rated, or nobody.
      5e-6,
      6,
    ),
    within('crosses and offsets, largest error of a margin', '–', largest(margins), 0, 1e-5, 6),
  ];
}

function regression(design: PairDesign, features: PairFeatures, offsets: 'none' | 'both') {
  const fit = fitLogistic(design, features, { l2: L2, offsets });
  return { fit, propensity: fittedPropensities(fit, features, design) };
}

function largest(margins: { users: number; items: number; total: number }): number {
  return Math.max(margins.users, margins.items, Math.abs(margins.total));
}
