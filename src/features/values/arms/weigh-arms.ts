import { inSlices } from '../../../estimators/slices.js';
import { ArmSums, type ArmSumsShape } from './arm-sums.js';
import { Mixture } from './mixture.js';
import type { LogDesign, ServedLog } from './served-log.js';
import type { ShareStrata } from './share-strata.js';

/** Rows between two yields, each weighed for every model. */
const WEIGHED_ROWS = 2048;

/**
 * Weighs the rewards of served lists for each model, and sums them up. Yields between slices.
 *
 * For model m and request q, r_m(i) the rank of item i in its list, P_qi the chance that i is looked
 * at (see `Mixture`), c its reward, θ_s the examination of its rank in the served list:
 *
 * X = Σ_i c θ_{r_m} / P; C = Σ_{shown i} θ_s θ_{r_m} / P; T = Σ_{i in m's list, P > 0} θ_{r_m};
 * doubly robust, with r̂ alone: X + Σ_{i in m's list, P > 0} θ_{r_m} r̂ − Σ_{shown i} θ_s θ_{r_m} r̂ / P.
 *
 * Given the lists only the arm is random, so E X is what m's supported places are worth and E C = T.
 * O(rows · (models + arms)), with lists drawn at random or slopes O(rows · models · ranks).
 *
 * @param log see `ServedLog`. @param strata its shares. @param theta θ by rank, θ_0 = 1.
 * @param hasSlopes whether derivatives by log θ are summed up too; else they are 0. @param sums take
 * them in.
 */
export function* weighArms(
  log: ServedLog,
  strata: ShareStrata,
  theta: Float64Array,
  hasSlopes = true,
  sums = new ArmSums(armShape(log, strata.count, theta.length)),
): Generator<void, ArmSums> {
  const { requests, items } = log;
  const cellOf = new Int32Array(requests.length);
  yield* inSlices(requests.length, (from, to) => {
    sumRequests(log, strata, cellOf, sums, from, to);
  });
  const clicked = new Int32Array(requests.length);
  yield* inSlices(items.length, (from, to) => sumRewards(log, cellOf, clicked, sums, from, to));
  const mixture = new Mixture(log, strata, theta);
  const pass = new WeighPass(log, cellOf, mixture, sums, theta, hasSlopes);
  const work = (from: number, to: number) => {
    for (let row = from; row < to; row++) pass.add(row);
  };
  yield* inSlices(items.length, work, WEIGHED_ROWS);
  return sums;
}

/** @param strata how many there are. @param ranks that are looked at. */
export function armShape(
  { models, arms, clusters }: LogDesign,
  strata: number,
  ranks: number,
): ArmSumsShape {
  return { strata, arms: arms.length, clusters, models: models.length, ranks };
}

/** The cells of some requests, and how many each has. */
function sumRequests(
  { requests, arms, clusters }: ServedLog,
  { of, isByRequest }: ShareStrata,
  cellOf: Int32Array,
  sums: ArmSums,
  from: number,
  to: number,
): void {
  const { arm, stratum, cluster, isListed } = requests;
  for (let q = from; q < to; q++) {
    const t = isByRequest ? 0 : of[stratum[q]];
    const cell = (t * arms.length + arm[q]) * clusters + cluster[q];
    cellOf[q] = cell;
    sums.requests[cell]++;
    sums.listedRequests[cell] += isListed === undefined ? 1 : isListed[q];
  }
}

/**
 * What does not depend on models: rewards, and how many items of a request have one.
 *
 * @param clicked by request: rewarded items among the rows before.
 */
function sumRewards(
  { requests, items, arms }: ServedLog,
  cellOf: Int32Array,
  clicked: Int32Array,
  sums: ArmSums,
  from: number,
  to: number,
): void {
  const { clusters, ranks } = sums.shape;
  for (let row = from; row < to; row++) {
    const reward = items.reward[row];
    if (reward === 0) continue;
    const q = items.request[row];
    const rank = items.ranks[arms[requests.arm[q]].list][row];
    if (rank >= ranks) {
      sums.strayRewards++;
      continue;
    }
    const cell = cellOf[q];
    const stratumAndArm = Math.floor(cell / clusters);
    sums.reward[cell] += reward;
    sums.rewardSums[stratumAndArm] += Math.abs(reward);
    if (reward < 0) sums.lossSums[stratumAndArm] -= reward;
    sums.rewardSquares[stratumAndArm] += reward * reward;
    sums.clicks[cell]++;
    // The pairs that it makes with those before it.
    sums.clickPairs[cell] += clicked[q]++;
    sums.clicksByRank[requests.arm[q] * ranks + rank]++;
  }
}

/** The rows, one after the other. */
class WeighPass {
  readonly #log: ServedLog;
  readonly #cellOf: Int32Array;
  readonly #mixture: Mixture;
  readonly #sums: ArmSums;
  readonly #theta: Float64Array;
  readonly #hasSlopes: boolean;
  readonly #predicted: ArrayLike<number> | undefined;

  constructor(
    log: ServedLog,
    cellOf: Int32Array,
    mixture: Mixture,
    sums: ArmSums,
    theta: Float64Array,
    hasSlopes: boolean,
  ) {
    this.#hasSlopes = hasSlopes;
    this.#log = log;
    this.#predicted = log.items.predicted;
    this.#cellOf = cellOf;
    this.#mixture = mixture;
    this.#sums = sums;
    this.#theta = theta;
  }

  add(row: number): void {
    const { items, requests, arms } = this.#log;
    const theta = this.#theta;
    const sums = this.#sums;
    const q = items.request[row];
    this.#mixture.look(row);
    const served = items.ranks[arms[requests.arm[q]].list][row];
    const isListed = requests.isListed === undefined ? 1 : requests.isListed[q];
    const cell = this.#cellOf[q];
    for (let m = 0; m < items.ranks.length; m++) {
      const rank = items.ranks[m][row];
      if (rank >= theta.length) continue;
      sums.listed[m] += isListed * theta[rank];
      if (this.#mixture.chance > 0) this.#addSupported(m, row, cell, rank, served, isListed);
    }
  }

  #addSupported(
    m: number,
    row: number,
    cell: number,
    rank: number,
    served: number,
    isListed: number,
  ): void {
    const theta = this.#theta;
    const sums = this.#sums;
    const at = m * sums.cells + cell;
    const predicted = this.#predicted === undefined ? 0 : this.#predicted[row];
    const target = isListed * theta[rank];
    sums.target[at] += target;
    if (this.#predicted !== undefined) sums.doubly[at] += target * predicted;
    if (served >= theta.length) {
      if (this.#hasSlopes) this.#addSlopes(m, rank, served, target, 0, 0, predicted);
      return;
    }
    const weight = theta[rank] / this.#mixture.chance;
    const control = isListed * theta[served] * weight;
    const weighted = this.#log.items.reward[row] * weight;
    sums.control[at] += control;
    if (this.#predicted !== undefined) sums.doubly[at] += weighted - control * predicted;
    if (weighted !== 0) {
      sums.weighted[at] += weighted;
      sums.rowWeights[m] += weighted;
      sums.rowSquares[m] += weighted * weighted;
      if (weighted > sums.largest[m]) sums.largest[m] = weighted;
    }
    if (this.#hasSlopes) this.#addSlopes(m, rank, served, target, control, weighted, predicted);
  }

  /** X and C follow θ_{r_m} / P, C follows θ of the shown rank too, T follows θ_{r_m} alone. */
  #addSlopes(
    m: number,
    rank: number,
    served: number,
    target: number,
    control: number,
    weighted: number,
    predicted: number,
  ): void {
    const sums = this.#sums;
    const first = m * this.#theta.length;
    sums.targetSlope[first + rank] += target;
    if (this.#predicted !== undefined) sums.doublySlope[first + rank] += target * predicted;
    if (control !== 0) {
      this.#mixture.addGradient(sums.controlSlope, first, rank, control);
      sums.controlSlope[first + served] += control;
    }
    if (weighted !== 0) this.#mixture.addGradient(sums.weightedSlope, first, rank, weighted);
    if (this.#predicted === undefined) return;
    const doubly = weighted - control * predicted;
    if (doubly !== 0) this.#mixture.addGradient(sums.doublySlope, first, rank, doubly);
    sums.doublySlope[first + served] -= control * predicted;
  }
}
