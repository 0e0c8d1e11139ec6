import { Random } from '../estimators/mathematics/random.js';
import type { SimulationOptions } from './options.js';
import type { World } from './world.js';

/**
 * The policy whose lists are shown: a list contains item i with probability π_i = min(1, c ·
 * n_i^γ).
 *
 * n_i is the number of positive interactions with item i before the current period. The policy is
 * retrained at the start of each period, so exposures follow lagged counts. Before there are any
 * counts, n_i is the target popularity.
 *
 * With `exposuresFollow: 'long-run'`, n_i is always the target popularity. With `itemNoise` σ, each
 * item's weight n_i^γ is multiplied by exp(σ ε_i), ε_i standard normal.
 *
 * **Source**: Yang et al. 2018, equation 14 (the power law of presentation bias).
 */
export class LoggingPolicy {
  readonly #options: SimulationOptions;
  readonly #counts: Float64Array;
  readonly #order: Int32Array;
  /** exp(σ ε_i) of each item; undefined without item noise. */
  readonly #factors: Float64Array | undefined;
  #lagged: Float64Array;
  #inclusion: Float64Array;
  #periodEnd: number;
  #counted = 0;

  constructor(world: World, options: SimulationOptions) {
    this.#options = options;
    this.#counts = new Float64Array(options.items);
    this.#order = Int32Array.from({ length: options.items }, (_, i) => i);
    this.#lagged = world.targetPopularity;
    this.#factors = itemFactors(options);
    this.#inclusion = this.#trained();
    this.#periodEnd = options.startMs + options.periodMs;
  }

  /**
   * Retrain the policy if a period has ended. To be called in time order, before events at `ts` are
   * counted or drawn.
   */
  advanceTo(ts: number): void {
    if (ts < this.#periodEnd) return;
    const { startMs, periodMs } = this.#options;
    this.#periodEnd = startMs + (Math.floor((ts - startMs) / periodMs) + 1) * periodMs;
    if (this.#counted === 0 || this.#options.exposuresFollow === 'long-run') return;
    this.#lagged = this.#counts.slice();
    this.#inclusion = this.#trained();
  }

  countPositive(item: number): void {
    this.#counts[item]++;
    this.#counted++;
  }

  /** Draw one shown list: distinct items, the most popular first. */
  draw(random: Random): number[] {
    const drawn = systematicSample(this.#inclusion, this.#order, random);
    return drawn.sort((a, b) => this.#lagged[b] - this.#lagged[a] || a - b);
  }

  #trained(): Float64Array {
    const { gamma, shownLength } = this.#options;
    // An item without positive interactions is not shown, whatever γ is (including 0^0 and 0^−1).
    const weights = this.#lagged.map((n) => (n > 0 ? n ** gamma : 0));
    this.#factors?.forEach((factor, item) => {
      weights[item] *= factor;
    });
    return inclusionProbabilities(weights, shownLength);
  }
}

function itemFactors({ seed, items, itemNoise = 0 }: SimulationOptions): Float64Array | undefined {
  if (itemNoise === 0) return undefined;
  const random = new Random(seed, 'item noise');
  return Float64Array.from({ length: items }, () => Math.exp(itemNoise * random.normal()));
}

/**
 * Compute inclusion probabilities for a sample of `size` items that are proportional to `weights`.
 *
 * π_i = min(1, c · w_i) with c such that Σπ_i = size. Items with c · w_i > 1 are always included,
 * and the rest of the sample is divided among the others.
 *
 * **Source**: C.-E. Särndal, B. Swensson, J. Wretman, Model Assisted Survey Sampling, 3.6.1.
 *
 * @param weights one per item, ≥ 0
 * @returns one probability per item; items of weight 0 have 0. Fewer than `size` positive weights
 *   give 1 for each of them; none gives zeros.
 */
export function inclusionProbabilities(weights: Float64Array, size: number): Float64Array {
  const probabilities = new Float64Array(weights.length);
  const byWeight = Int32Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a]);
  // Suffix sums from the smallest weight up. Subtracting large weights from a total would leave
  // only rounding errors.
  const rest = new Float64Array(weights.length + 1);
  for (let i = weights.length - 1; i >= 0; i--) {
    rest[i] = rest[i + 1] + weights[byWeight[i]];
  }
  let certain = 0;
  while (certain < size && certain < weights.length) {
    const weight = weights[byWeight[certain]];
    if (weight === 0 || (size - certain) * weight < rest[certain]) break;
    probabilities[byWeight[certain++]] = 1;
  }
  const places = size - certain;
  for (let i = certain; i < weights.length && weights[byWeight[i]] > 0; i++) {
    probabilities[byWeight[i]] = Math.min(1, (places * weights[byWeight[i]]) / rest[certain]);
  }
  return probabilities;
}

/**
 * Draw distinct items so that item i is included with probability exactly π_i (systematic
 * sampling).
 *
 * The items are placed on a line in random order, each with an interval of length π_i. The sample
 * is the items whose intervals contain u, u + 1, u + 2, … for a uniform random u.
 *
 * **Source**: W. G. Madow, On the Theory of Systematic Sampling, II (1949).
 *
 * @param probabilities π_i in [0, 1]; their sum is the size of the draw (within one if it is no
 *   whole number)
 * @param order scratch: a permutation of the item indices, shuffled in place
 * @returns item indices in the random order; empty if all π are 0
 */
export function systematicSample(
  probabilities: Float64Array,
  order: Int32Array,
  random: Random,
): number[] {
  random.shuffle(order);
  const drawn: number[] = [];
  let mark = random.next();
  let end = 0;
  for (const item of order) {
    if (probabilities[item] === 0) continue;
    end += probabilities[item];
    if (mark < end) {
      drawn.push(item);
      mark++;
    }
  }
  return drawn;
}
