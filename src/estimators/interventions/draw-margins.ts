import type { WindowPart } from '../../state/panes/window-part.js';
import { interventionOf } from '../rules/registry.js';
import { inclusionProbability } from './expected-inclusion.js';
import type { Chances } from './intervened.js';
import type { InterventionJob, PreparedIntervention } from './interventions.js';
import type { RowTallies } from './row-tallies.js';

/** Totals over the rows of a window, from which margins are computed as shares. */
export interface MarginTotals {
  /** Number of rows, before the draw. */
  readonly before: number;
  /** Σ w, with w the sampling weight of a row. */
  readonly weights: number;
  /** Σ π, with π the inclusion probability of a row: the expected sample size. */
  readonly sample: number;
}

/**
 * Margins of an intervention on one window: how rows, sampling weights w and inclusion
 * probabilities π are distributed over users and over items.
 */
export interface DrawMargins {
  /**
   * Three distances of the users' shares from their targets, Σ_u |share_u − target_u|: by rows, by
   * weights and by inclusion probabilities.
   */
  readonly users: Float64Array;
  /**
   * Total variation between inclusion probabilities and weights, Σ max(0, π / Σπ − w / Σw) over
   * rows; 0 if weights depend on the item alone (see `weightSummary`).
   */
  readonly excess: number;
  /** Number of rows (`before`), Σ w (`weights`) and Σ π (`sample`) by item. */
  readonly items: {
    readonly before: Float64Array;
    readonly weights: Float64Array;
    readonly sample: Float64Array;
  };
  readonly totals: MarginTotals;
}

/**
 * Compute the inclusion probability of every row of a window, π = 1 − e^(−w τ), with their sums
 * by user and by item.
 *
 * The weighting pass reuses the probabilities, because the exponential would be the most expensive
 * part of that pass. O(rows).
 */
export function drawMargins(
  own: PreparedIntervention,
  rows: RowTallies,
  { part, counts }: InterventionJob,
): {
  readonly chances: Chances;
  readonly margins: DrawMargins;
} {
  const { itemChance, sides } = own;
  const sums = new MarginSums(own, rows, part, counts.items);
  sums.addUsers();
  const { before } = sums;
  const items =
    itemChance === null
      ? {
          before,
          weights: sums.weights,
          sample: sums.sample,
        }
      : {
          before,
          weights: before.map((rows, i) => rows * sides.itemSide[i]),
          sample: before.map((rows, i) => rows * itemChance[i]),
        };
  const { users, excess, totals, chances } = sums;
  return {
    chances:
      itemChance === null
        ? {
            of: 'row',
            values: chances,
          }
        : {
            of: 'item',
            values: itemChance,
          },
    margins: {
      users,
      excess,
      items,
      totals,
    },
  };
}

class MarginSums {
  /**
   * Σ_u |share_u − target_u| by rows, by weights and by inclusion probabilities, see `DrawMargins`.
   */
  readonly users = new Float64Array(3);
  /** Σ max(0, π / Σπ − w / Σw) over rows, see `DrawMargins`. */
  excess = 0;
  /** Number of rows by item. */
  readonly before: Float64Array;
  /** Σ w by item. Like `sample` and `chances`, it is empty if weights depend on the item alone. */
  readonly weights: Float64Array;
  /** Σ π by item. */
  readonly sample: Float64Array;
  /** π by row. */
  readonly chances: Float64Array;
  readonly totals: MarginTotals;
  readonly #own: PreparedIntervention;
  readonly #part: WindowPart;
  readonly #isTargeted: boolean;
  /**
   * Denominator of the users' target shares. If the intervention aims at the distribution of
   * randomised traffic, it is the number of randomised interactions, otherwise the number of users
   * with a row.
   */
  readonly #aimed: number;

  constructor(own: PreparedIntervention, rows: RowTallies, part: WindowPart, items: number) {
    const { weights } = interventionOf(own.name);
    const hasColumns = own.itemChance === null;
    this.before = new Float64Array(items);
    this.weights = new Float64Array(hasColumns ? items : 0);
    this.sample = new Float64Array(hasColumns ? items : 0);
    this.chances = new Float64Array(hasColumns ? part.rows : 0);
    this.totals = {
      before: rows.rows,
      weights: own.weight,
      sample: own.summary.expected,
    };
    this.#own = own;
    this.#part = part;
    this.#isTargeted = weights !== 'raked' && weights.isTargeted === true;
    this.#aimed = this.#isTargeted ? rows.randomized : rows.withRows;
  }

  addUsers(): void {
    const { users, userStart, userRandomized } = this.#part;
    const { before, weights, sample } = this.totals;
    for (let s = 0; s < users; s++) {
      const rows = userStart[s + 1] - userStart[s];
      const [weightSum, chanceSum] = this.#addRows(s);
      const target = (this.#isTargeted ? userRandomized[s] : Math.min(1, rows)) / this.#aimed;
      this.users[0] += Math.abs(rows / before - target);
      this.users[1] += Math.abs(weightSum / weights - target);
      this.users[2] += Math.abs(chanceSum / sample - target);
    }
  }

  /** Add the rows of a user segment to the sums by item. @returns the user's Σ w and Σ π. */
  #addRows(s: number): readonly [number, number] {
    const { userStart, item } = this.#part;
    const { sides, time, itemChance } = this.#own;
    const side = sides.userSide?.[s] ?? 1;
    let weightSum = 0;
    let chanceSum = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const i = item[r];
      const weight = side * sides.itemSide[i];
      const chance = itemChance === null ? inclusionProbability(weight, time) : itemChance[i];
      this.before[i]++;
      weightSum += weight;
      chanceSum += chance;
      if (itemChance !== null) continue;
      this.chances[r] = chance;
      this.weights[i] += weight;
      this.sample[i] += chance;
      this.excess += Math.max(0, chance / this.totals.sample - weight / this.totals.weights);
    }
    return [weightSum, chanceSum];
  }
}
