import { fitLogistic } from '../../src/estimators/propensity/fit-logistic.js';
import { fittedPropensities } from '../../src/estimators/propensity/fitted-propensities.js';
import { coatDesign, coatFeatures } from '../reference/coat-design.js';
import { type Row, within } from './table.js';

/** Ridge of the regression. */
const L2 = 10;

/** Errors of MF-IPS by logistic regressions of our own, in place of the shipped propensities. */
export function logisticRows(
  errorsBy: (propensity: Float64Array) => { readonly mae: number; readonly mse: number },
): Row[] {
  const design = coatDesign();
  const features = coatFeatures();
  return (
    [
      ['own regression on crosses', 'none', 0.869, 1.094],
      ['own regression with offsets', 'both', 0.873, 1.099],
    ] as const
  ).flatMap(([what, offsets, mae, mse]) => {
    const fit = fitLogistic(design, features, { l2: L2, offsets });
    const all = fittedPropensities(fit, features, design);
    const found = errorsBy(all.filter((_, pair) => design.isObserved[pair] === 1));
    return [
      within(`${what}, MAE`, '–', found.mae, mae, 0.003, 3),
      within(`${what}, MSE`, '–', found.mse, mse, 0.003, 3),
    ];
  });
}
