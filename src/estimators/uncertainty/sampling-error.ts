import type { Lane, LaneMetric } from '../lanes/lane.js';
import type { Coefficients, WeightingRule } from '../registry/weighting-rule.js';
import type { Estimate } from '../results/estimate.js';

/** Σ v, and Σ v λ and Σ v λ² for each metric, v = π (1 − π). */
interface VarianceSums {
  total: number;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/**
 * What the drawing of an intervened test set adds to the error of a pooled estimate.
 *
 * √(Σ π (1 − π) (λ − R)²) / Σ π, from Σ v, Σ v λ and Σ v λ² with v = π (1 − π): rows are drawn
 * independently, so that the ratio Σ S λ / Σ S has this error about R to first order.
 * Source: linearisation of a ratio under Poisson sampling (Hájek 1964).
 */
export class SamplingErrors {
  readonly #rules: readonly WeightingRule[];
  /** By lane; one entry for each rule, null for one that draws nothing. */
  readonly #sums = new Map<Lane, (VarianceSums | null)[]>();

  constructor(lanes: readonly Lane[], rules: readonly WeightingRule[]) {
    this.#rules = rules;
    for (const lane of lanes) {
      const size = lane.metrics.length;
      const sums = rules.map(({ draws }) =>
        draws === true
          ? { total: 0, first: new Float64Array(size), second: new Float64Array(size) }
          : null,
      );
      this.#sums.set(lane, sums);
    }
  }

  /** Adds a chunk, right after the lane took it: its hits are still those of the chunk. */
  add(lane: Lane, coefficients: readonly Coefficients[]): void {
    const sums = this.#sums.get(lane)!;
    for (let e = 0; e < this.#rules.length; e++) {
      const own = sums[e];
      if (own === null) continue;
      const pi = coefficients[e].pooled;
      own.total += coefficients[e].drawVariance;
      for (let m = 0; m < lane.metrics.length; m++) {
        const { row, gain, size } = lane.metrics[m].hits;
        let first = 0;
        let second = 0;
        for (let h = 0; h < size; h++) {
          const share = pi[row[h]] * (1 - pi[row[h]]) * gain[h];
          first += share;
          second += share * gain[h];
        }
        own.first[m] += first;
        own.second[m] += second;
      }
    }
  }

  /** A lane's estimates, the pooled ones of what draws with their error. */
  complete(lane: Lane, estimates: readonly Estimate[]): Estimate[] {
    const sums = this.#sums.get(lane)!;
    return estimates.map((estimate) => {
      const own = sums[this.#rules.findIndex(({ name }) => name === estimate.estimator)];
      if (own === null || estimate.aggregation === 'user') return estimate;
      const m = lane.metrics.findIndex(
        ({ metric, k }) => metric === estimate.metric && k === estimate.k,
      );
      return { ...estimate, samplingStdErr: errorOf(own, lane.metrics[m], m, estimate) };
    });
  }
}

function errorOf(
  { total, first, second }: VarianceSums,
  { least, most }: LaneMetric,
  m: number,
  { value, denominator }: Estimate,
): number {
  // A gain that does not vary has no error, rounding or not.
  if (least === most) return 0;
  const variance = second[m] - 2 * value * first[m] + value * value * total;
  return Math.sqrt(Math.max(0, variance)) / denominator;
}
