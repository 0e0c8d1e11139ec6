import type { SimulationOptions } from './options.js';
import { Random } from './random.js';
import { inclusionProbabilities, systematicSample } from './systematic-sampling.js';
import type { World } from './world.js';

/**
 * The policy whose lists are shown: item i stands in a list with probability
 * π_i = min(1, c · n_i^γ), n_i its positive interactions until the current period's start.
 *
 * It is retrained at each period's start, so exposures follow the lagged counts, not those of
 * their own period. Before anything was counted the target popularity stands in for n_i.
 *
 * With `exposuresFollow: 'long-run'` the target popularity stands for n_i throughout, and with
 * `itemNoise` σ each item's weight n_i^γ is multiplied by exp(σ ε_i), ε_i standard normal.
 *
 * **Source**: Yang et al. 2018, equation 14 (the power law of presentation bias).
 */
export class LoggingPolicy {
  readonly #options: SimulationOptions;
  readonly #counts: Float64Array;
  readonly #order: Int32Array;
  /** exp(σ ε_i); undefined where items do not differ. */
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

  /** To be called in time order, before anything at `ts` is counted or drawn. */
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

  /** Items of one shown list, the most popular first, without repeats. */
  draw(random: Random): number[] {
    const drawn = systematicSample(this.#inclusion, this.#order, random);
    return drawn.sort((a, b) => this.#lagged[b] - this.#lagged[a] || a - b);
  }

  #trained(): Float64Array {
    const { gamma, shownLength } = this.#options;
    // An item that nobody has picked yet is not shown, whatever γ (0^0 and 0^−1 included).
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
