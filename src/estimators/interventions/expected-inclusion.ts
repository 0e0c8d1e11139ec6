/**
 * Rows grouped into cells of equal sampling weight. The order of the cells does not depend on the
 * order of the rows.
 */
export interface WeightCells {
  /** Number of cells in use. */
  readonly cells: number;
  /** Weight of each cell's rows, above 0. */
  readonly weight: Float64Array;
  /** Number of rows in each cell. */
  readonly rows: Float64Array;
}

/** Expected sample size at a sampling time τ, and its derivative. */
export interface DrawSums {
  /** Expected number of rows in the sample, Σ (1 − e^(−w τ)). */
  kept: number;
  /** Derivative of `kept` in τ, Σ w e^(−w τ). */
  slope: number;
}

/** Sampling weights of the rows that a set is drawn from, represented by sums over the rows. */
export interface DrawWeights {
  /** Number of rows with a weight w above 0. */
  readonly rows: number;
  /** Σ w. */
  readonly weight: number;
  /** Add the expected sample size at time τ, and its derivative, to `into`. */
  addKept(time: number, into: DrawSums): void;
}

const MAX_STEPS = 500;
/** Number of cells in a partial sum; a sum of partial sums rounds less than one long sum. */
const CELLS_AT_ONCE = 32_768;

/**
 * Probability that a row of weight w is in the sample of a successive (without-replacement) draw.
 *
 * π = 1 − e^(−w τ).
 * Source: the exponential-clock form of Efraimidis & Spirakis 2006; τ from `samplingTime`.
 *
 * @param weight w ≥ 0. @param time τ, possibly Infinity. @returns π in [0, 1]; 0 for w = 0.
 * @example
 * inclusionProbability(2, Infinity); // 1
 */
export function inclusionProbability(weight: number, time: number): number {
  return weight === 0 ? 0 : -Math.expm1(-weight * time);
}

/**
 * Find the time τ at which a successive draw is expected to hold k rows.
 *
 * Σ_j (1 − e^(−w_j τ)) = k, by Newton from τ₀ = k / Σ w_j. The left side is concave and τ₀ lies
 * below the root, so the steps rise to it and cannot pass it.
 * Source: expected size of an exponential-clock sample; error O(1/√k) against the exact draw.
 *
 * @param cells rows grouped by weight. @param k expected sample size (rows).
 * @returns τ; Infinity if k is at least the number of rows (all are kept); 0 for k ≤ 0.
 * @example
 * // one cell of 2 rows, half of them kept: 1 − e^(−τ) = 1/2
 * samplingTime({ cells: 1, weight: [1], rows: [2] }, 1); // Math.log(2)
 */
export function samplingTime(cells: WeightCells, k: number): number {
  let rows = 0;
  let weight = 0;
  for (let c = 0; c < cells.cells; c++) {
    rows += cells.rows[c];
    weight += cells.rows[c] * cells.weight[c];
  }
  const addKept = (time: number, into: DrawSums) => addCells(cells, time, into);
  return samplingTimeOf(
    {
      rows,
      weight,
      addKept,
    },
    k,
  );
}

/** Find τ as `samplingTime` does, from sums over the rows instead of cells. */
export function samplingTimeOf(draw: DrawWeights, k: number): number {
  if (k <= 0) return 0;
  if (k >= draw.rows) return Number.POSITIVE_INFINITY;
  let time = k / draw.weight;
  const sums = {
    kept: 0,
    slope: 0,
  };
  for (let step = 0; step < MAX_STEPS; step++) {
    sums.kept = 0;
    sums.slope = 0;
    draw.addKept(time, sums);
    const next = time + (k - sums.kept) / sums.slope;
    // Near the root, rounding may reverse the step, which also ends the search.
    if (!(next > time) || next - time <= 1e-15 * time) break;
    time = next;
  }
  return time;
}

function addCells({ cells, weight, rows }: WeightCells, time: number, sums: DrawSums): void {
  for (let from = 0; from < cells; from += CELLS_AT_ONCE) {
    const to = Math.min(from + CELLS_AT_ONCE, cells);
    let kept = 0;
    let slope = 0;
    for (let c = from; c < to; c++) {
      const left = Math.expm1(-weight[c] * time);
      kept -= rows[c] * left;
      slope += rows[c] * weight[c] * (1 + left);
    }
    sums.kept += kept;
    sums.slope += slope;
  }
}
