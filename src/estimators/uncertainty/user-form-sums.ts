import type { NumberCodec } from '../../state/binary/number-codec.js';
import type { MeasuredHits } from '../lanes/measured-hits.js';
import type { Selection } from '../lanes/selection.js';
import type { Coefficients } from '../rules/coefficients.js';
import type { FoundResult, OwnSums, ResultExtras } from '../rules/weighting-rule.js';
import { effectiveSampleSize } from './effective-sample-size.js';

/** Bins of effective sizes: this many to a factor of two, and up to 2^14 rows. */
const BINS_PER_DOUBLING = 64;
const BINS = 14 * BINS_PER_DOUBLING + 1;

/**
 * What is said beside a corrected mean over users: the mean without the correction, and the median
 * over users of the Kish size of a user's rows, to 1 % (users are counted by size).
 */
export class UserFormSums implements OwnSums {
  /** Σ_u R_u without the correction, by metric. */
  readonly #numerators: Float64Array;
  readonly #users = new Float64Array(BINS);

  constructor(metrics: number) {
    this.#numerators = new Float64Array(metrics);
  }

  add(
    rows: Selection,
    { pooled, pooledDenominator, pooledSquares }: Coefficients,
    measured: readonly MeasuredHits[],
  ) {
    const { values: denominators } = pooledDenominator;
    for (let u = 0; u < rows.users; u++) {
      const size = effectiveSampleSize(denominators[u], pooledSquares[u]);
      if (size > 0) this.#users[binOf(size)]++;
    }
    measured.forEach(({ hits: { row, user, gain, size }, set }, m) => {
      if (set !== null) return;
      let numerator = 0;
      for (let h = 0; h < size; h++) {
        numerator += (pooled[row[h]] * gain[h]) / denominators[user[h]];
      }
      this.#numerators[m] += numerator;
    });
  }

  merge(other: UserFormSums): void {
    for (let m = 0; m < this.#numerators.length; m++) this.#numerators[m] += other.#numerators[m];
    for (let bin = 0; bin < BINS; bin++) this.#users[bin] += other.#users[bin];
  }

  pass(through: NumberCodec): void {
    through.numbers(this.#numerators);
    through.numbers(this.#users);
  }

  /** Of the user form. */
  extras({ aggregation, denominator }: FoundResult, _: MeasuredHits, m: number): ResultExtras {
    if (aggregation !== 'user') return {};
    return { uncorrected: this.#numerators[m] / denominator, withinUserEss: this.#median() };
  }

  #median(): number {
    const half = this.#users.reduce((a, b) => a + b, 0) / 2;
    let below = 0;
    for (let bin = 0; bin < BINS; bin++) {
      below += this.#users[bin];
      if (below >= half) return 2 ** (bin / BINS_PER_DOUBLING);
    }
    return Number.NaN;
  }
}

/** The nearest on a scale of factors. */
function binOf(size: number): number {
  return Math.min(BINS - 1, Math.max(0, Math.round(Math.log2(size) * BINS_PER_DOUBLING)));
}
