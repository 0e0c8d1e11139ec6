import { UnskewError } from '../../errors.js';
import { type LogisticFit, type LogisticModel, type PairFeatures, userLogits } from './logits.js';
import { NewtonSystem } from './newton-system.js';
import type { PairDesign } from './pair-design.js';

/** A regression problem. It can have item offsets only if it also has user offsets. */
interface Regression {
  readonly design: PairDesign;
  readonly features: PairFeatures;
  readonly l2: number;
  readonly hasUserOffsets: boolean;
  readonly hasItemOffsets: boolean;
}

/**
 * Ridge penalty on offsets. It makes the solution unique, since offsets are collinear with each
 * other and with the intercept c.
 */
const OFFSET_RIDGE = 1e-6;
/** Logit beyond which the fit diverges: a probability of 1e-11 cannot be estimated from the pairs. */
const RUNAWAY_LOGIT = 25;

/** Logits, variances and residuals of all pairs of a regression under the current parameters. */
class PairsAtModel {
  readonly #of: Regression;
  readonly #logit: Float64Array;
  readonly #variance: Float64Array;
  readonly #residual: Float64Array;

  constructor(regression: Regression) {
    const pairs = regression.design.item.length;
    this.#of = regression;
    this.#logit = new Float64Array(pairs);
    this.#variance = new Float64Array(pairs);
    this.#residual = new Float64Array(pairs);
  }

  /**
   * Compute the logits, variances and residuals under a model. @returns the objective with the
   * ridge and without.
   */
  settle(model: LogisticModel): {
    nll: number;
    penalised: number;
  } {
    const { isObserved, rate } = this.#of.design;
    const shift = Math.log(rate);
    const logits = this.#logit;
    const variance = this.#variance;
    const residual = this.#residual;
    this.#eachUser(model, () => {});
    let nll = 0;
    for (let pair = 0; pair < logits.length; pair++) {
      const logit = logits[pair] - shift;
      const observed = isObserved[pair];
      // One exponential for all three: e^(−|logit|) neither overflows nor loses digits.
      const small = Math.exp(-Math.abs(logit));
      const p = (logit > 0 ? 1 : small) / (1 + small);
      variance[pair] = p * (1 - p);
      residual[pair] = observed - p;
      const wrong = observed === 1 ? -logit : logit;
      nll += Math.log1p(small) + (wrong > 0 ? wrong : 0);
    }
    const { l2 } = this.#of;
    const offsets = squares(model.userOffsets) + squares(model.itemOffsets);
    const ridge = (l2 * squares(model.weights) + OFFSET_RIDGE * offsets) / 2;
    return {
      nll,
      penalised: nll + ridge,
    };
  }

  /** Whether a pair's logit diverges because its features determine whether it is observed. */
  get isRunaway(): boolean {
    return this.#logit.some((logit) => Math.abs(logit) > RUNAWAY_LOGIT);
  }

  /**
   * Write Newton's equations to a system. @returns the eliminated offsets' contribution to the
   * decrement.
   */
  fill(system: NewtonSystem, model: LogisticModel): number {
    const { design, l2, hasItemOffsets } = this.#of;
    system.clear();
    const { weights, userOffsets, itemOffsets } = model;
    weights.forEach((weight, place) => {
      system.penalise(1 + place, l2, weight);
    });
    if (hasItemOffsets) {
      const first = 1 + weights.length;
      itemOffsets.forEach((offset, item) => {
        system.penalise(first + item, OFFSET_RIDGE, offset);
      });
    }
    const pairs = {
      item: design.item,
      variance: this.#variance,
      residual: this.#residual,
    };
    let gain = 0;
    for (let user = 0; user < design.users; user++) {
      const span = [design.start[user], design.start[user + 1]] as const;
      gain += system.addUser(user, pairs, span, -OFFSET_RIDGE * userOffsets[user], OFFSET_RIDGE);
    }
    return gain;
  }

  /**
   * Newton step of all parameters. The steps of user offsets follow from the others, Δγ_u = (g_u −
   * h_uᵀ Δ) / d_u; h_uᵀ Δ is the effect of the other steps on the user's logits.
   */
  step(solution: Float64Array, model: LogisticModel): LogisticModel {
    const { design, hasUserOffsets, hasItemOffsets } = this.#of;
    const afterWeights = 1 + model.weights.length;
    const step = {
      intercept: solution[0],
      weights: solution.subarray(1, afterWeights),
      userOffsets: new Float64Array(design.users),
      itemOffsets: hasItemOffsets
        ? solution.subarray(afterWeights)
        : new Float64Array(design.items),
    };
    if (!hasUserOffsets) return step;
    this.#eachUser(step, (user, first, end) => {
      let gradient = -OFFSET_RIDGE * model.userOffsets[user];
      let curvature = OFFSET_RIDGE;
      for (let pair = first; pair < end; pair++) {
        gradient += this.#residual[pair] - this.#variance[pair] * this.#logit[pair];
        curvature += this.#variance[pair];
      }
      step.userOffsets[user] = gradient / curvature;
    });
    return step;
  }

  /** Write the logits of a model user by user, and call `then` after each user. */
  #eachUser(model: LogisticModel, then: (user: number, first: number, end: number) => void): void {
    const { design, features } = this.#of;
    for (let user = 0; user < design.users; user++) {
      const span = [design.start[user], design.start[user + 1]] as const;
      userLogits(model, features, user, design.item, span, this.#logit);
      then(user, ...span);
    }
  }
}

function squares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

const MOST_STEPS = 50;
/**
 * Stop if the decrement gᵀ H⁻¹ g (gradient g, Hessian H), relative to the objective, is below this.
 */
const TOLERANCE = 1e-13;
/** Relative rounding error of a sum over millions of pairs, allowed as a loss in a step. */
const ROUNDING = 1e-10;

/**
 * Maximise the penalised likelihood by Newton's method; halve the step until the likelihood rises.
 *
 * @throws UnskewError FIT if a system is singular, or if there is no maximum.
 */
function maximise(regression: Regression): LogisticFit {
  const { design, features } = regression;
  const pairs = new PairsAtModel(regression);
  const system = new NewtonSystem({
    features,
    hasUserOffsets: regression.hasUserOffsets,
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
        'the regression has no unique solution, because features are collinear: set l2 above 0',
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
    if (decrement <= TOLERANCE * (1 + at.penalised)) {
      return {
        ...model,
        ...at,
        steps,
      };
    }
  }
  throw new UnskewError(
    'FIT',
    'the regression does not converge, because some features predict perfectly which pairs are observed: set a larger l2, or leave these features out',
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

/** Offsets that a regression can have: one for each user, one for each item, both, or none. */
export const OFFSETS = ['none', 'users', 'items', 'both'] as const;
export type Offsets = (typeof OFFSETS)[number];

export interface LogisticOptions {
  /** Ridge penalty on W (no unit). */
  readonly l2: number;
  readonly offsets: Offsets;
}

/** Limit on parameters solved for together; more would need minutes and gigabytes. */
const MOST_PARAMETERS = 4000;

/**
 * Fit the propensity of each pair to be observed by logistic regression on features and offsets.
 *
 * P(O_ui = 1) = σ(c + x_uᵀ W z_i + γ_u + β_i), σ the logistic function; minimises −Σ [O ln P + (1 −
 * O) ln(1 − P)] + (l2 / 2) ‖W‖² by Newton's method from c = logit(ΣO / pairs).
 * With sampled negatives the logit is lowered by ln q during the fit, so that P holds for all
 * pairs. Since c, γ and β are not penalised, ΣP = ΣO in all, for each user and for each item (all
 * pairs, offsets); c, γ and β are collinear, so γ and β have a ridge of 1e-6.
 * Source: Schnabel et al. 2016, section 5.2 (their eq. 19 has the features of a pair for x_uᵀ W
 * z_i).
 *
 * Bias: none if observation depends on these features and offsets alone, and they act on the logit
 * in this form. Dependence on the rating itself is not corrected.
 * Time for a step: pairs × (named features)² + size³ / 6, size = 1 + features of users × of items +
 * offsets of the smaller side.
 *
 * @param design pairs. @param features x_u and z_i, none for offsets alone.
 * @throws UnskewError USAGE if a side's features are not of its size, if nothing or everything is
 * observed, or if there are more than 4,000 parameters; FIT if the system is singular, or if there
 * is no maximum.
 * @example
 * // two of ten users without the feature rated the item, three of five with it
 * const rated = (n, of) => Array.from({ length: of }, (_, user) => (user < n ? [0] : []));
 * const design = pairDesign([...rated(2, 10), ...rated(3, 5)], 1);
 * const has = Array.from({ length: 15 }, (_, user) => [user < 10 ? 0 : 1]);
 * const features = { users: sparseRows(has), items: onesColumn(1) };
 * fitLogistic(design, features, { l2: 0, offsets: 'none' }).intercept; // Math.log(0.25)
 */
export function fitLogistic(
  design: PairDesign,
  features: PairFeatures,
  { l2, offsets }: LogisticOptions,
): LogisticFit {
  check(design, features);
  // Eliminate the offsets of the side that has more of them, which costs little.
  const isTurned = offsets === 'items' || (offsets === 'both' && design.items > design.users);
  const turned = isTurned ? transposedDesign(design) : design;
  const regression: Regression = {
    design: turned,
    features: isTurned
      ? {
          users: features.items,
          items: features.users,
        }
      : features,
    l2,
    hasUserOffsets: offsets !== 'none',
    hasItemOffsets: offsets === 'both',
  };
  checkSize(regression);
  const fit = maximise(regression);
  if (!isTurned) return fit;
  return {
    ...fit,
    weights: transposedMatrix(fit.weights, features.users.width),
    userOffsets: fit.itemOffsets,
    itemOffsets: fit.userOffsets,
  };
}

function check(design: PairDesign, features: PairFeatures): void {
  for (const [side, count] of [
    ['users', design.users] as const,
    ['items', design.items] as const,
  ]) {
    const rows = features[side].start.length - 1;
    if (rows === count) continue;
    throw new UnskewError(
      'USAGE',
      `features need one row for each of the ${count} ${side}, not ${rows} rows`,
    );
  }
  const observed = design.isObserved.reduce((sum, one) => sum + one, 0);
  if (observed > 0 && observed < design.isObserved.length) return;
  const what = observed === 0 ? 'no pair is observed' : 'every pair is observed';
  throw new UnskewError('USAGE', `${what}: there is nothing to learn propensities from`);
}

function checkSize({ design, features, hasItemOffsets }: Regression): void {
  const crosses = features.users.width * features.items.width;
  const size = 1 + crosses + (hasItemOffsets ? design.items : 0);
  if (size <= MOST_PARAMETERS) return;
  throw new UnskewError(
    'USAGE',
    `the regression has ${size} parameters, more than ${MOST_PARAMETERS}: use fewer features (user features × item features: ${crosses}), or offsets of users or items only`,
  );
}

/** The same pairs with the roles of users and items exchanged. */
function transposedDesign(design: PairDesign): PairDesign {
  const { users, items } = design;
  const start = new Int32Array(items + 1);
  for (const item of design.item) {
    start[item + 1]++;
  }
  for (let item = 0; item < items; item++) {
    start[item + 1] += start[item];
  }
  const next = start.slice();
  const item = new Int32Array(design.item.length);
  const isObserved = new Uint8Array(design.item.length);
  for (let user = 0; user < users; user++) {
    for (let pair = design.start[user]; pair < design.start[user + 1]; pair++) {
      const place = next[design.item[pair]]++;
      item[place] = user;
      isObserved[place] = design.isObserved[pair];
    }
  }
  return {
    users: items,
    items: users,
    start,
    item,
    isObserved,
    rate: design.rate,
  };
}

/** Transpose a matrix that is stored row by row. @param columns number of columns before. */
function transposedMatrix(values: Float64Array, columns: number): Float64Array {
  const rows = columns === 0 ? 0 : values.length / columns;
  return Float64Array.from(
    values,
    (_, place) => values[(place % rows) * columns + Math.floor(place / rows)],
  );
}
