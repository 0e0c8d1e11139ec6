import type { MeasuredHits } from '../lanes/expected-set.js';
import type { Selection } from '../lanes/selection.js';
import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import type { Coefficients } from './coefficients.js';
import type { FoundResult, OwnSums, ResultExtras, WeightingRule } from './weighting-rule.js';

/** Logarithmic bins of effective sizes up to 2^14 rows: number per factor of two, and in total. */
const BINS_PER_DOUBLING = 64;
const BINS = 14 * BINS_PER_DOUBLING + 1;

/**
 * Collects additional figures of a corrected mean over users: the mean without the correction, and
 * the median over users of the Kish effective size of a user's rows, to 1 %.
 */
class UserFormSums implements OwnSums {
  /** Σ_u R_u without the correction, by metric. */
  readonly #numerators: Float64Array;
  /** Number of users by bin of the effective size. */
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
      if (size > 0) {
        this.#users[binOf(size)]++;
      }
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

  /** Give the figures for the user form; the pooled form has none. */
  extras({ aggregation, denominator }: FoundResult, _: MeasuredHits, m: number): ResultExtras {
    if (aggregation !== 'user') return {};
    return {
      uncorrected: this.#numerators[m] / denominator,
      withinUserEss: this.#median(),
    };
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

/** Index of the logarithmic bin nearest to an effective size. */
function binOf(size: number): number {
  return Math.min(BINS - 1, Math.max(0, Math.round(Math.log2(size) * BINS_PER_DOUBLING)));
}

/**
 * Create the rule of SNIPS with a user form that is corrected for the bias of a ratio; the pooled
 * form is the plain one.
 *
 * user: R_u + n/(n − 1) · (Σ w²λ − R_u Σ w²) / W², R_u = Σ wλ / W, W = Σ w, for users of n ≥ 2
 * rows, then the mean over users. As coefficients, with s_i = w_i / W: a_i = s_i (1 + n/(n − 1)
 * (s_i − Σ s²)).
 * Source: the first-order bias of a ratio estimator (Cochran 1977, section 6.8), estimated within
 * each user; averaging over users does not reduce it.
 * Bias: O(1/n²) per user. It suits users with about five effective rows or more; the variance is
 * larger than that of the plain form. A user's value may leave [min λ, max λ]; the mean is clipped.
 * Coefficients of a user sum to 1; equal weights give the plain form. O(rows).
 *
 * @returns the rule; its results by user include the uncorrected value and the median effective
 * size within users.
 * By hand: gains 1, 0 with weights 1, 3: 1/4 + 2 (1 − 10/4) / 16 = 1/16.
 */
export function correctedSnipsRule(): WeightingRule {
  return {
    dependsOnGamma: true,
    ownSums: (metrics) => new UserFormSums(metrics),
    weigh(selection, out) {
      const { start, users, weight, weightSlope } = selection;
      let slopeTotal = 0;
      for (let u = 0; u < users; u++) {
        let total = 0;
        let slope = 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          out.pooled[i] = weight[i];
          total += weight[i];
          slope += weightSlope[i];
        }
        slopeTotal += slope;
        out.userDenominator.values[u] = total > 0 ? 1 : 0;
        weighUser(selection, start[u], start[u + 1], total, slope, out);
      }
      out.pooledSlopeTotal = slopeTotal;
    },
  };
}

/** Compute the coefficients of one user's rows. @param total W. @param slope ∂W/∂γ. */
function weighUser(
  { weight, weightSlope, gainful }: Selection,
  from: number,
  to: number,
  total: number,
  slope: number,
  out: Coefficients,
): void {
  const scale = total > 0 ? 1 / total : 0;
  let squares = 0;
  let slopeOfSquares = 0;
  for (let i = from; i < to; i++) {
    const share = weight[i] * scale;
    squares += share * share;
    slopeOfSquares += 2 * share * (weightSlope[i] - share * slope) * scale;
  }
  // A single row has no bias to correct.
  const factor = to - from > 1 ? (to - from) / (to - from - 1) : 0;
  for (let i = from; i < to; i++) {
    if (gainful[i] === 0) continue;
    const share = weight[i] * scale;
    const ofShare = (weightSlope[i] - share * slope) * scale;
    const excess = factor * (share - squares);
    out.user[i] = share * (1 + excess);
    out.userSlope[i] = ofShare * (1 + excess) + share * factor * (ofShare - slopeOfSquares);
    out.pooledSlope[i] = weightSlope[i];
  }
}
