import type { AbsoluteScale } from '../known/absolute-scale.js';
import type { Lane } from '../lanes/lane.js';
import type { Estimate } from '../results/estimate.js';
import type { Selection } from '../rows/selection.js';

const ALPHA = 0.05;

/** Σ_u of what a user's half width is made of; Infinity where a user has no bound. */
interface Widths {
  users: number;
  root: number;
  linear: number;
}

/**
 * How far the user form of gs may lie from its expectation, after Theorem 4.1.
 *
 * For each user √(2 ln(2/δ) Σ ŵ² / (n (n − 1))) + ŵ_max 7 ln(2/δ) / (3 (n − 1)) holds with
 * probability 1 − 2δ, ŵ the mean 1/P of a row's stratum, n = Σ 1/P in the place of the unknown number
 * of relevant items; with δ = .05 / (2U) it holds for all users at once, and so their mean for the
 * mean. A user with n ≤ 1 has none, and then there is none at all. The bias, the theorem's other
 * term, is not in it.
 * Source: generalized-stratified, Theorem 4.1 (its concentration term).
 */
export class StratifiedBounds {
  readonly #scale: AbsoluteScale;
  readonly #rows: Float64Array;
  readonly #sums: Float64Array;
  readonly #byLane = new Map<Lane, Widths>();

  constructor(scale: AbsoluteScale, strata: number) {
    this.#scale = scale;
    this.#rows = new Float64Array(strata);
    this.#sums = new Float64Array(strata);
  }

  /** Takes the rows of a chunk that a lane is evaluated on. */
  add(lane: Lane, selection: Selection): void {
    const widths = this.#byLane.get(lane) ?? { users: 0, root: 0, linear: 0 };
    this.#byLane.set(lane, widths);
    for (let u = 0; u < selection.users; u++) {
      this.#addUser(selection, selection.start[u], selection.start[u + 1], widths);
    }
  }

  #addUser(selection: Selection, from: number, to: number, widths: Widths): void {
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
    widths.users++;
    widths.root += n > 1 ? Math.sqrt((2 * squares) / (n * (n - 1))) : Number.POSITIVE_INFINITY;
    widths.linear += n > 1 ? (7 * largest) / (3 * (n - 1)) : Number.POSITIVE_INFINITY;
  }

  #inverseOf({ item, row, part }: Selection, i: number): number {
    const { inverse } = this.#scale;
    if (inverse !== null) return inverse[item[i]];
    const logged = part!.propensity?.[row[i]] ?? 0;
    return logged > 0 ? 1 / logged : 0;
  }

  /** A lane's estimates, those of gs by user with the bound. */
  complete(lane: Lane, estimates: readonly Estimate[]): Estimate[] {
    const { users, root, linear } = this.#byLane.get(lane) ?? { users: 0, root: 0, linear: 0 };
    const log = Math.log((4 * users) / ALPHA);
    const half = (Math.sqrt(log) * root + log * linear) / users;
    return estimates.map((row) => {
      if (row.estimator !== 'gs' || row.aggregation !== 'user') return row;
      const bound = {
        name: 'gs-bernstein' as const,
        lower: Math.max(0, row.value - half),
        upper: Math.min(1, row.value + half),
      };
      return { ...row, guarantees: [...row.guarantees, bound] };
    });
  }
}
