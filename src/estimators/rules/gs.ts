import type { AbsoluteScale } from '../lanes/scale.js';
import type { Selection } from '../lanes/selection.js';
import { isAbove } from '../mathematics/edges.js';
import type { RowEstimator } from './estimator.js';
import type { FoundResult, OwnSums, ResultExtras, WeightingRule } from './weighting-rule.js';

const ALPHA = 0.05;

/** Name of the guarantee that gs provides. */
const BOUND = 'gs-bernstein';

/**
 * Bound on the distance of the user form of gs from its expectation, after Theorem 4.1.
 *
 * For each user the half-width √(2 ln(2/δ) Σ ŵ² / (n (n − 1))) + ŵ_max 7 ln(2/δ) / (3 (n − 1))
 * holds with probability 1 − 2δ. Here ŵ is the mean 1/P of a row's stratum, and n = Σ 1/P replaces
 * the unknown number of relevant items. With δ = .05 / (2U), U users, it holds for all users at
 * once, so the mean of the users' bounds is a bound on the mean over users. There is no bound if
 * some user has n ≤ 1. The bound does not include the bias, the theorem's other term. Source:
 * generalized-stratified, Theorem 4.1 (its concentration term).
 */
class StratifiedBound implements OwnSums {
  readonly #scale: AbsoluteScale;
  readonly #rows: Float64Array;
  readonly #sums: Float64Array;
  /**
   * Number of users (`#users`), and sums over users of the two terms of the bound (`#root` and
   * `#linear`); Infinity if some user has no bound.
   */
  #users = 0;
  #root = 0;
  #linear = 0;

  constructor(scale: AbsoluteScale, strata: number) {
    this.#scale = scale;
    this.#rows = new Float64Array(strata);
    this.#sums = new Float64Array(strata);
  }

  add(rows: Selection): void {
    for (let u = 0; u < rows.users; u++) {
      this.#addUser(rows, rows.start[u], rows.start[u + 1]);
    }
  }

  #addUser(selection: Selection, from: number, to: number): void {
    const rows = this.#rows.fill(0);
    const sums = this.#sums.fill(0);
    let n = 0;
    for (let i = from; i < to; i++) {
      const inverse = this.#inverseOf(selection, i);
      rows[selection.stratum[i]]++;
      sums[selection.stratum[i]] += inverse;
      n += inverse;
    }
    let squares = 0;
    let largest = 0;
    for (let v = 0; v < rows.length; v++) {
      if (rows[v] === 0) continue;
      squares += sums[v] ** 2 / rows[v];
      largest = Math.max(largest, sums[v] / rows[v]);
    }
    this.#users++;
    this.#root += isAbove(n, 1)
      ? Math.sqrt((2 * squares) / (n * (n - 1)))
      : Number.POSITIVE_INFINITY;
    this.#linear += isAbove(n, 1) ? (7 * largest) / (3 * (n - 1)) : Number.POSITIVE_INFINITY;
  }

  #inverseOf({ item, row, part }: Selection, i: number): number {
    const { inverse } = this.#scale;
    if (inverse !== null) return inverse[item[i]];
    const logged = part!.propensity?.[row[i]] ?? 0;
    return logged > 0 ? 1 / logged : 0;
  }

  /** Give the bound for the user form; the pooled form has none. */
  extras({ aggregation, value }: FoundResult): ResultExtras {
    if (aggregation !== 'user') return {};
    const log = Math.log((4 * this.#users) / ALPHA);
    const half = (Math.sqrt(log) * this.#root + log * this.#linear) / this.#users;
    const bound = {
      name: BOUND,
      lower: Math.max(0, value - half),
      upper: Math.min(1, value + half),
    } as const;
    return { guarantees: [bound] };
  }
}

/**
 * Create the rule of the generalised stratified estimator: within a user, rows of one stratum share
 * their weight.
 *
 * user: R_u = Σ_v s_v (A_v / n_v) / W over the user's rows, then the mean over users; n_v rows, A_v
 * = Σ λ and s_v = Σ w in stratum v, W = Σ_v s_v. pooled: the same with n_v, A_v, s_v over all rows.
 * Source: generalized-stratified, eqs. 5 and 6, with n̂_u = Σ 1/P.
 * Bias: between naive (one stratum) and SNIPS (a stratum for each row); the variance is ordered the
 * other way. Value in [min λ, max λ]; O(rows + strata).
 *
 * In the user form a row has the weight s_v / n_v / W, so Σ a² = Σ_u Σ_v s_v² / n_v / W².
 *
 * @param strata number of strata S.
 * @returns the rule; a user whose weights underflow is left out.
 * By hand: one stratum: gains 1, 0 with weights 1, 3 give 1/2.
 */
export function gsRule(strata: number): WeightingRule {
  const rows = new Float64Array(strata);
  const sums = new Float64Array(strata);
  const slopes = new Float64Array(strata);
  return {
    dependsOnGamma: true,
    squaresUserRows: true,
    weigh(selection, out) {
      const { start, users, weight, weightSlope, stratum, gainful } = selection;
      const { mean, meanSlope } = selection.strata;
      let slopeTotal = 0;
      let squares = 0;
      for (let u = 0; u < users; u++) {
        const from = start[u];
        const to = start[u + 1];
        let total = 0;
        let slope = 0;
        for (let i = from; i < to; i++) {
          rows[stratum[i]]++;
          sums[stratum[i]] += weight[i];
          slopes[stratum[i]] += weightSlope[i];
          total += weight[i];
          slope += weightSlope[i];
        }
        out.userDenominator.values[u] = total > 0 ? 1 : 0;
        const scale = total > 0 ? 1 / total : 0;
        for (let i = from; i < to; i++) {
          const v = stratum[i];
          out.pooled[i] = mean[v];
          slopeTotal += meanSlope[v];
          if (gainful[i] === 0) continue;
          out.user[i] = (sums[v] / rows[v]) * scale;
          out.userSlope[i] = ((slopes[v] - sums[v] * slope * scale) / rows[v]) * scale;
          out.pooledSlope[i] = meanSlope[v];
        }
        let own = 0;
        for (let i = from; i < to; i++) {
          const v = stratum[i];
          if (rows[v] === 0) continue;
          own += (sums[v] * sums[v]) / rows[v];
          rows[v] = 0;
          sums[v] = 0;
          slopes[v] = 0;
        }
        squares += own * scale * scale;
      }
      out.pooledSlopeTotal = slopeTotal;
      out.squaredUserRows = squares;
    },
  };
}

export const gs: RowEstimator = {
  kind: 'weighted',
  inWords: 'as snips, with one weight for all items of a stratum of similar popularity',
  isDefault: true,
  cost: 4,
  needs: {
    itemWeights: true,
    strata: true,
    scaleFor: BOUND,
  },
  rule({ scale, options: { strata, guarantees } }) {
    const rule = gsRule(strata);
    if (scale === null || !guarantees.includes(BOUND)) return rule;
    return {
      ...rule,
      ownSums: () => new StratifiedBound(scale, strata),
    };
  },
};
