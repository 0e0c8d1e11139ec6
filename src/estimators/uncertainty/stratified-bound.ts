import type { NumberCodec } from '../../state/binary/number-codec.js';
import type { Selection } from '../lanes/selection.js';
import { isAbove } from '../mathematics/edges.js';
import type { FoundResult, OwnSums, ResultExtras } from '../rules/weighting-rule.js';
import type { AbsoluteScale } from '../window/scale.js';

const ALPHA = 0.05;

/** The guarantee that it gives. */
export const BOUND = 'gs-bernstein';

/**
 * How far the user form of gs may lie from its expectation, after Theorem 4.1.
 *
 * For each user √(2 ln(2/δ) Σ ŵ² / (n (n − 1))) + ŵ_max 7 ln(2/δ) / (3 (n − 1)) holds with
 * probability 1 − 2δ, ŵ the mean 1/P of a row's stratum, n = Σ 1/P instead of the unknown number
 * of relevant items; with δ = .05 / (2U) it holds for all users at once, and so their mean for the
 * mean. A user with n ≤ 1 has none, and then there is none at all. The bias, the theorem's other
 * term, is not in it.
 * Source: generalized-stratified, Theorem 4.1 (its concentration term).
 */
export class StratifiedBound implements OwnSums {
  readonly #scale: AbsoluteScale;
  readonly #rows: Float64Array;
  readonly #sums: Float64Array;
  /** Users, and Σ_u of what their half widths are made of; Infinity where a user has no bound. */
  #users = 0;
  #root = 0;
  #linear = 0;

  constructor(scale: AbsoluteScale, strata: number) {
    this.#scale = scale;
    this.#rows = new Float64Array(strata);
    this.#sums = new Float64Array(strata);
  }

  add(rows: Selection): void {
    for (let u = 0; u < rows.users; u++) this.#addUser(rows, rows.start[u], rows.start[u + 1]);
  }

  merge(other: StratifiedBound): void {
    this.#users += other.#users;
    this.#root += other.#root;
    this.#linear += other.#linear;
  }

  pass(through: NumberCodec): void {
    this.#users = through.number(this.#users);
    this.#root = through.number(this.#root);
    this.#linear = through.number(this.#linear);
  }

  #addUser(selection: Selection, from: number, to: number): void {
    const [rows, sums] = [this.#rows.fill(0), this.#sums.fill(0)];
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

  /** The user form has the bound. */
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
