import { UnskewError } from '../../errors.js';
import type { LogisticFit, LogisticModel } from './logistic-model.js';
import { NewtonSystem } from './newton-system.js';
import { PairsAtModel, type Regression } from './pairs-at-model.js';

const MOST_STEPS = 50;
/** Of the decrement gᵀ H⁻¹ g, twice what is still to be won: in parts of the objective. */
const TOLERANCE = 1e-13;
/** Of a sum over millions of pairs: a step that loses less is not too long. */
const ROUNDING = 1e-10;

/**
 * The maximum of the penalised likelihood, by Newton's method; half the step until it rises.
 *
 * @throws UnskewError FIT if a system is singular, or if there is no maximum to be found.
 */
export function maximise(regression: Regression): LogisticFit {
  const { design, features } = regression;
  const pairs = new PairsAtModel(regression);
  const system = new NewtonSystem({
    ...{ features, hasUserOffsets: regression.hasUserOffsets },
    itemOffsets: regression.hasItemOffsets ? design.items : 0,
  });
  let model = start(regression);
  let at = pairs.settle(model);
  for (let steps = 1; steps <= MOST_STEPS; steps++) {
    const ownGain = pairs.fill(system, model);
    const gradient = system.gradient.slice();
    if (!system.solve()) {
      throw new UnskewError(
        'FIT',
        'the regression has no single solution, as features are collinear: give l2 above 0',
      );
    }
    const step = pairs.step(system.gradient, model);
    const decrement =
      ownGain + gradient.reduce((sum, g, place) => sum + g * system.gradient[place], 0);
    let share = 1;
    let next = moved(model, step, share);
    let found = pairs.settle(next);
    while (found.penalised > at.penalised * (1 + ROUNDING) && share > 1e-9) {
      share /= 2;
      next = moved(model, step, share);
      found = pairs.settle(next);
    }
    model = next;
    at = found;
    if (pairs.isRunaway) break;
    if (decrement <= TOLERANCE * (1 + at.penalised)) return { ...model, ...at, steps };
  }
  throw new UnskewError(
    'FIT',
    'the regression does not converge, as features say for certain what is observed: give a larger l2, or leave them out',
  );
}

function start({ design, features }: Regression): LogisticModel {
  const observed = design.isObserved.reduce((sum, one) => sum + one, 0);
  const others = (design.isObserved.length - observed) / design.rate;
  return {
    intercept: Math.log(observed / others),
    weights: new Float64Array(features.users.width * features.items.width),
    userOffsets: new Float64Array(design.users),
    itemOffsets: new Float64Array(design.items),
  };
}

function moved(model: LogisticModel, step: LogisticModel, share: number): LogisticModel {
  const add = (values: Float64Array, by: Float64Array) =>
    values.map((value, place) => value + share * by[place]);
  return {
    intercept: model.intercept + share * step.intercept,
    weights: add(model.weights, step.weights),
    userOffsets: add(model.userOffsets, step.userOffsets),
    itemOffsets: add(model.itemOffsets, step.itemOffsets),
  };
}
