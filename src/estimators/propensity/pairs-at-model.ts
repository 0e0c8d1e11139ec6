import type { LogisticModel } from './logistic-model.js';
import { type PairFeatures, userLogits } from './logits.js';
import type { NewtonSystem } from './newton-system.js';
import type { PairDesign } from './pair-design.js';

/** A regression; offsets of items only beside those of users. */
export interface Regression {
  readonly design: PairDesign;
  readonly features: PairFeatures;
  readonly l2: number;
  readonly hasUserOffsets: boolean;
  readonly hasItemOffsets: boolean;
}

/** Makes offsets that are collinear with each other and with c a single solution. */
const OFFSET_RIDGE = 1e-6;
/** A chance of 1e-11, which no number of pairs that fits here could show. */
const RUNAWAY_LOGIT = 25;

/** All pairs of a regression at the parameters of the moment. */
export class PairsAtModel {
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

  /** Goes to a model: what is minimised there, with the ridge and without. */
  settle(model: LogisticModel): { nll: number; penalised: number } {
    const { isObserved, rate } = this.#of.design;
    const shift = Math.log(rate);
    const [logits, variance, residual] = [this.#logit, this.#variance, this.#residual];
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
    return { nll, penalised: nll + ridge };
  }

  /** Whether some pair's logit has run away: its features say for certain what is observed. */
  get isRunaway(): boolean {
    return this.#logit.some((logit) => Math.abs(logit) > RUNAWAY_LOGIT);
  }

  /** Writes Newton's equations. @returns what the eliminated offsets bring to the decrement. */
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
    const pairs = { item: design.item, variance: this.#variance, residual: this.#residual };
    let gain = 0;
    for (let user = 0; user < design.users; user++) {
      const span = [design.start[user], design.start[user + 1]] as const;
      gain += system.addUser(user, pairs, span, -OFFSET_RIDGE * userOffsets[user], OFFSET_RIDGE);
    }
    return gain;
  }

  /**
   * The step of all parameters: offsets of users follow from those of the others,
   * Δγ_u = (g_u − h_uᵀ Δ) / d_u, and h_uᵀ Δ is what the others' step does to the user's logits.
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

  /** Writes the logits of a model, user by user. */
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
