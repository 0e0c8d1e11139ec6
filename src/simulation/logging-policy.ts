import type { SimulationOptions } from './options.js';
import type { Random } from './random.js';
import { inclusionProbabilities, systematicSample } from './systematic-sampling.js';
import type { World } from './world.js';

/**
 * The policy whose lists are shown: item i stands in a list with probability
 * π_i = min(1, c · n_i^γ), n_i its positive interactions until the current period's start.
 *
 * It is trained anew at each period's start, so exposures follow the lagged counts, not those of
 * their own period. Before anything was counted the target popularity stands in for n_i.
 *
 * **Source**: Yang et al. 2018, equation 14 (the power law of presentation bias).
 */
export class LoggingPolicy {
  readonly #options: SimulationOptions;
  readonly #counts: Float64Array;
  readonly #order: Int32Array;
  #lagged: Float64Array;
  #inclusion: Float64Array;
  #periodEnd: number;
  #counted = 0;

  constructor(world: World, options: SimulationOptions) {
    this.#options = options;
    this.#counts = new Float64Array(options.items);
    this.#order = Int32Array.from({ length: options.items }, (_, i) => i);
    this.#lagged = world.targetPopularity;
    this.#inclusion = this.#trained();
    this.#periodEnd = options.startMs + options.periodMs;
  }

  /** To be called in time order, before anything at `ts` is counted or drawn. */
  advanceTo(ts: number): void {
    if (ts < this.#periodEnd) return;
    const { startMs, periodMs } = this.#options;
    this.#periodEnd = startMs + (Math.floor((ts - startMs) / periodMs) + 1) * periodMs;
    if (this.#counted === 0) return;
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
    return inclusionProbabilities(weights, shownLength);
  }
}
