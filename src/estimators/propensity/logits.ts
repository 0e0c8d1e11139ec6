/** Features of users (x) and of items (z). */
export interface PairFeatures {
  readonly users: SparseRows;
  readonly items: SparseRows;
}

/**
 * Write the logits of one user's pairs.
 *
 * logit = c + γ_u + β_i + x_uᵀ W z_i, computed by t = Wᵀ x_u first: O(nonzero features of the user
 * × width of the items' features + nonzero features of the pairs).
 *
 * @param items of the pairs, from `first` to `end`. @param logits output, at the same indices.
 */
export function userLogits(
  { intercept, weights, userOffsets, itemOffsets }: LogisticModel,
  features: PairFeatures,
  user: number,
  items: Int32Array,
  [first, end]: readonly [number, number],
  logits: Float64Array,
): void {
  const { start, column, value } = features.items;
  const taste = userTaste(weights, features, user);
  const base = intercept + userOffsets[user];
  for (let pair = first; pair < end; pair++) {
    const item = items[pair];
    let logit = base + itemOffsets[item];
    for (let f = start[item]; f < start[item + 1]; f++) {
      logit += value[f] * taste[column[f]];
    }
    logits[pair] = logit;
  }
}

/** Wᵀ x_u, the user's weight for each item feature. */
function userTaste(weights: Float64Array, { users, items }: PairFeatures, user: number) {
  const taste = new Float64Array(items.width);
  for (let f = users.start[user]; f < users.start[user + 1]; f++) {
    const row = users.column[f] * items.width;
    for (let k = 0; k < items.width; k++) {
      taste[k] += users.value[f] * weights[row + k];
    }
  }
  return taste;
}

/** The parameters of P = σ(c + x_uᵀ W z_i + γ_u + β_i). */
export interface LogisticModel {
  /** c, the intercept. */
  readonly intercept: number;
  /** W, row by row: a row for each feature of users, a column for each feature of items. */
  readonly weights: Float64Array;
  /** γ, one for each user; all 0 without offsets of users. */
  readonly userOffsets: Float64Array;
  /** β, one for each item; all 0 without offsets of items. */
  readonly itemOffsets: Float64Array;
}

export interface LogisticFit extends LogisticModel {
  /** Negative log-likelihood of the pairs (nats). */
  readonly nll: number;
  /** Negative log-likelihood plus the ridge penalty, the objective. */
  readonly penalised: number;
  /** Number of Newton steps. */
  readonly steps: number;
}

/** Logistic function σ: the probability with the given logit. */
export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** −ln P(o) at a logit: −ln P for an observed pair, −ln(1 − P) otherwise. */
export function logLoss(logit: number, isObserved: number): number {
  const toward = isObserved === 1 ? -logit : logit;
  // Each form would lose all digits or overflow for one sign.
  return toward > 0 ? toward + Math.log1p(Math.exp(-toward)) : Math.log1p(Math.exp(toward));
}

/** Sparse rows of numbers; entries that are not stored are 0. */
export interface SparseRows {
  /** Number of columns. */
  readonly width: number;
  /** Row r has the entries start[r] to start[r + 1] − 1. */
  readonly start: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

/**
 * Convert rows to sparse rows.
 *
 * @param rows of equal width. @param width number of columns, needed if there may be no rows.
 * @example
 * sparseRows([[0, 2], [1, 0]]).column; // [1, 0]
 */
export function sparseRows(
  rows: readonly ArrayLike<number>[],
  width = rows[0]?.length ?? 0,
): SparseRows {
  const start = Int32Array.of(0, ...rows.map(() => 0));
  const column: number[] = [];
  const value: number[] = [];
  rows.forEach((row, r) => {
    for (let c = 0; c < width; c++) {
      if (row[c] === 0) continue;
      column.push(c);
      value.push(row[c]);
    }
    start[r + 1] = column.length;
  });
  return {
    width,
    start,
    column: Int32Array.from(column),
    value: Float64Array.from(value),
  };
}

/** A single column of ones, for users or items without features. */
export function onesColumn(count: number): SparseRows {
  return {
    width: 1,
    start: Int32Array.from({ length: count + 1 }, (_, r) => r),
    column: new Int32Array(count),
    value: new Float64Array(count).fill(1),
  };
}

/** No columns, for a regression on offsets alone. */
export function noColumns(count: number): SparseRows {
  return {
    width: 0,
    start: new Int32Array(count + 1),
    column: new Int32Array(0),
    value: new Float64Array(0),
  };
}
