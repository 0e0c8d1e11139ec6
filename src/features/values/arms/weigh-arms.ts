import { ArmSums } from './arm-sums.js';
import { Mixture } from './mixture.js';
import type { ServedLog } from './served-log.js';
import type { ShareStrata } from './share-strata.js';

/**
 * Weight the rewards of served lists for each model, and sum them.
 *
 * For model m and request q, r_m(i) is the rank of item i in m's list, P_qi the probability that i
 * is examined (see `Mixture`), c its reward, and θ_s the examination of its rank in the served
 * list:
 *
 *   X = Σ_i c θ_{r_m} / P,   C = Σ_{shown i} θ_s θ_{r_m} / P
 *   T = Σ_{i in m's list, P > 0} θ_{r_m}
 *
 * The doubly robust sum, only with predicted rewards r̂, is X + Σ_{i in m's list, P > 0} θ_{r_m} r̂
 * − Σ_{shown i} θ_s θ_{r_m} r̂ / P.
 *
 * Given the lists only the arm is random, so E X is the reward of m's supported positions and E C =
 * T. O(rows · (models + arms)), with randomised lists or slopes O(rows · models · ranks).
 *
 * @param log see `ServedLog`. @param strata its shares. @param theta θ by rank, θ_0 = 1.
 * @param hasSlopes whether to sum derivatives by log θ too; otherwise they are 0.
 */
export function weighArms(
  log: ServedLog,
  strata: ShareStrata,
  theta: Float64Array,
  hasSlopes = true,
): ArmSums {
  const { requests, items } = log;
  const pass = new WeighPass(log, strata, theta, hasSlopes);
  for (let q = 0; q < requests.length; q++) {
    pass.count(q);
  }
  for (let row = 0; row < items.length; row++) {
    pass.reward(row);
  }
  for (let row = 0; row < items.length; row++) {
    pass.weigh(row);
  }
  return pass.sums;
}

/** Sums up a log in one pass over its requests and two over its item rows. */
class WeighPass {
  readonly sums: ArmSums;
  readonly #log: ServedLog;
  readonly #strata: ShareStrata;
  readonly #theta: Float64Array;
  readonly #hasSlopes: boolean;
  readonly #mixture: Mixture;
  /** Cell of each request. */
  readonly #cellOf: Int32Array;
  /** By request: number of rewarded items in the rows so far. */
  readonly #clicked: Int32Array;
  readonly #predicted: ArrayLike<number> | undefined;
  // The current row: its request's cell, its rank in the served list, 1 if the request has all lists,
  // its reward and its predicted reward.
  #cell = 0;
  #served = 0;
  #isListed = 0;
  #reward = 0;
  #expected = 0;

  constructor(log: ServedLog, strata: ShareStrata, theta: Float64Array, hasSlopes: boolean) {
    const { requests, items, arms, models, clusters } = log;
    this.sums = new ArmSums({
      strata: strata.count,
      arms: arms.length,
      clusters,
      models: models.length,
      ranks: theta.length,
    });
    this.#log = log;
    this.#strata = strata;
    this.#theta = theta;
    this.#hasSlopes = hasSlopes;
    this.#mixture = new Mixture(log, strata, theta);
    this.#cellOf = new Int32Array(requests.length);
    this.#clicked = new Int32Array(requests.length);
    this.#predicted = items.predicted;
  }

  /** Count a request in its cell. */
  count(q: number): void {
    const { requests, arms, clusters } = this.#log;
    const { of, isByRequest } = this.#strata;
    const t = isByRequest ? 0 : of[requests.stratum[q]];
    const cell = (t * arms.length + requests.arm[q]) * clusters + requests.cluster[q];
    this.#cellOf[q] = cell;
    this.sums.requests[cell]++;
    this.sums.listedRequests[cell] += requests.isListed?.[q] ?? 1;
  }

  /** Add quantities that do not depend on models: rewards, and the number of rewarded items of a request. */
  reward(row: number): void {
    const { requests, items, arms } = this.#log;
    const { sums } = this;
    const { clusters, ranks } = sums.shape;
    const reward = items.reward[row];
    if (reward === 0) return;
    const q = items.request[row];
    const rank = items.ranks[arms[requests.arm[q]].list][row];
    // A reward of an item outside the served list does not count.
    if (rank >= ranks) return;
    const cell = this.#cellOf[q];
    const stratumAndArm = Math.floor(cell / clusters);
    sums.reward[cell] += reward;
    sums.rewardSums[stratumAndArm] += Math.abs(reward);
    if (reward < 0) {
      sums.lossSums[stratumAndArm] -= reward;
    }
    sums.rewardSquares[stratumAndArm] += reward * reward;
    // Count its pairs with earlier rewarded items of the request.
    sums.clickPairs[cell] += this.#clicked[q]++;
    sums.clicksByRank[requests.arm[q] * ranks + rank]++;
  }

  /** Add the weighted reward of a row for each model. */
  weigh(row: number): void {
    const { items, requests, arms } = this.#log;
    const q = items.request[row];
    this.#mixture.look(row);
    this.#cell = this.#cellOf[q];
    this.#served = items.ranks[arms[requests.arm[q]].list][row];
    this.#isListed = requests.isListed?.[q] ?? 1;
    this.#reward = items.reward[row];
    this.#expected = this.#predicted?.[row] ?? 0;
    for (let m = 0; m < items.ranks.length; m++) {
      const rank = items.ranks[m][row];
      if (rank >= this.#theta.length) continue;
      this.sums.listed[m] += this.#isListed * this.#theta[rank];
      if (this.#mixture.chance > 0) {
        this.#addSupported(m, rank);
      }
    }
  }

  #addSupported(m: number, rank: number): void {
    const theta = this.#theta;
    const { sums } = this;
    const at = m * sums.cells + this.#cell;
    const expected = this.#expected;
    const target = this.#isListed * theta[rank];
    sums.target[at] += target;
    if (this.#predicted !== undefined) {
      sums.doubly[at] += target * expected;
    }
    if (this.#served >= theta.length) {
      if (this.#hasSlopes) {
        this.#addSlopes(m, rank, 0, 0);
      }
      return;
    }
    const weight = theta[rank] / this.#mixture.chance;
    const control = this.#isListed * theta[this.#served] * weight;
    const weighted = this.#reward * weight;
    sums.control[at] += control;
    if (this.#predicted !== undefined) {
      sums.doubly[at] += weighted - control * expected;
    }
    if (weighted !== 0) {
      sums.weighted[at] += weighted;
      sums.rowWeights[m] += weighted;
      sums.rowSquares[m] += weighted * weighted;
      if (weighted > sums.largest[m]) {
        sums.largest[m] = weighted;
      }
    }
    if (this.#hasSlopes) {
      this.#addSlopes(m, rank, control, weighted);
    }
  }

  /**
   * Add the derivatives by log θ: X and C depend on θ_{r_m} / P, C also on θ of the shown rank, T
   * on θ_{r_m} alone.
   */
  #addSlopes(m: number, rank: number, control: number, weighted: number): void {
    const { sums } = this;
    const first = m * this.#theta.length;
    const shown = first + this.#served;
    const target = this.#isListed * this.#theta[rank];
    const expected = this.#expected;
    sums.targetSlope[first + rank] += target;
    if (this.#predicted !== undefined) {
      sums.doublySlope[first + rank] += target * expected;
    }
    if (control !== 0) {
      this.#mixture.addGradient(sums.controlSlope, first, rank, control);
      sums.controlSlope[shown] += control;
    }
    if (weighted !== 0) {
      this.#mixture.addGradient(sums.weightedSlope, first, rank, weighted);
    }
    if (this.#predicted === undefined) return;
    const doubly = weighted - control * expected;
    if (doubly !== 0) {
      this.#mixture.addGradient(sums.doublySlope, first, rank, doubly);
    }
    if (control !== 0) {
      sums.doublySlope[shown] -= control * expected;
    }
  }
}
