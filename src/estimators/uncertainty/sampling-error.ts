import type { MeasuredHits } from '../lanes/expected-set.js';
import type { Selection } from '../lanes/selection.js';
import type { Coefficients } from '../rules/coefficients.js';
import type { FoundResult, OwnSums, ResultExtras } from '../rules/weighting-rule.js';

/**
 * Additional standard error of an intervention's pooled estimate R from drawing one test set.
 *
 * √(Σ π (1 − π) (λ − R)²) / Σ π over rows with gain λ and inclusion probability π, from Σ v, Σ v λ
 * and Σ v λ² with v = π (1 − π). Rows are drawn independently, so Σ S λ / Σ S, with S = 1 for a
 * drawn row and 0 otherwise, has this error about R to first order. Source: linearisation of a
 * ratio under Poisson sampling (Hájek 1964).
 */
export class SamplingError implements OwnSums {
  /** Σ v over all rows, and Σ v λ and Σ v λ² by metric. */
  #total = 0;
  readonly #first: Float64Array;
  readonly #second: Float64Array;

  constructor(metrics: number) {
    this.#first = new Float64Array(metrics);
    this.#second = new Float64Array(metrics);
  }

  add(_: Selection, { pooled: pi, drawVariance }: Coefficients, measured: readonly MeasuredHits[]) {
    this.#total += drawVariance;
    for (let m = 0; m < measured.length; m++) {
      const { row, gain, size } = measured[m].hits;
      let first = 0;
      let second = 0;
      for (let h = 0; h < size; h++) {
        const share = pi[row[h]] * (1 - pi[row[h]]) * gain[h];
        first += share;
        second += share * gain[h];
      }
      this.#first[m] += first;
      this.#second[m] += second;
    }
  }

  extras(result: FoundResult, { least, most }: MeasuredHits, m: number): ResultExtras {
    if (result.aggregation === 'user') return {};
    // A constant gain has no error; the formula could leave one from rounding.
    if (least === most) return { samplingStdErr: 0 };
    const { value, denominator } = result;
    const variance = this.#second[m] - 2 * value * this.#first[m] + value * value * this.#total;
    return { samplingStdErr: Math.sqrt(Math.max(0, variance)) / denominator };
  }
}
