/** Definitions of `src/learning`, written out over dense matrices; 0 where there is no rating. */

export type Dense = readonly (readonly number[])[];

export interface DenseFactors {
  readonly v: Dense;
  readonly w: Dense;
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly c: number;
}

export function prediction({ v, w, a, b, c }: DenseFactors, user: number, item: number): number {
  return c + a[user] + b[item] + v[user].reduce((sum, x, k) => sum + x * w[item][k], 0);
}

/** 1 / (U I) Σ_obs δ / P + λ (‖V‖² + ‖W‖² + ‖a‖² + ‖b‖²). */
export function factorObjective(
  factors: DenseFactors,
  ratings: Dense,
  propensity: Dense,
  lambda: number,
  delta: (error: number) => number,
): number {
  let loss = 0;
  ratings.forEach((row, user) => {
    row.forEach((rating, item) => {
      if (rating === 0) return;
      loss += delta(rating - prediction(factors, user, item)) / propensity[user][item];
    });
  });
  const { v, w, a, b } = factors;
  const penalty = [...v.flat(), ...w.flat(), ...a, ...b].reduce((sum, x) => sum + x * x, 0);
  return loss / (ratings.length * ratings[0].length) + lambda * penalty;
}

function cosine(x: readonly number[], y: readonly number[]): number {
  const product = x.reduce((sum, value, n) => sum + value * y[n], 0);
  const norm = (z: readonly number[]) => Math.sqrt(z.reduce((sum, value) => sum + value ** 2, 0));
  const length = norm(x) * norm(y);
  return length === 0 ? 0 : Math.round((product / length) * 1e12) / 1e12;
}

/** The k rows most like one of them, itself left out, ties by number. */
function neighbours(rows: Dense, of: number, k: number): { row: number; likeness: number }[] {
  return rows
    .map((row, n) => ({ row: n, likeness: cosine(rows[of], row) }))
    .filter(({ row }) => row !== of)
    .sort((x, y) => y.likeness - x.likeness || x.row - y.row)
    .slice(0, k);
}

export function userKnnScores(ratings: Dense, user: number, k: number): number[] {
  const near = neighbours(ratings, user, k);
  return ratings[0].map((_, item) =>
    rounded(near.reduce((sum, { row, likeness }) => sum + likeness * ratings[row][item], 0)),
  );
}

export function itemKnnScores(ratings: Dense, user: number, k: number): number[] {
  const items = ratings[0].map((_, item) => ratings.map((row) => row[item]));
  return items.map((_, item) =>
    rounded(
      items.reduce((sum, _column, rated) => {
        if (ratings[user][rated] === 0) return sum;
        const found = neighbours(items, rated, k).find(({ row }) => row === item);
        return sum + (found === undefined ? 0 : found.likeness * ratings[user][rated]);
      }, 0),
    ),
  );
}

/** Σ_ui q (p − x_u y_i)² + λ (‖x‖² + ‖y‖²), p = 1 and q = 1 + α where `alpha` is above 0. */
export function implicitObjective(x: Dense, y: Dense, alpha: Dense, lambda: number): number {
  let sum = 0;
  alpha.forEach((row, user) => {
    row.forEach((excess, item) => {
      const product = x[user].reduce((total, value, k) => total + value * y[item][k], 0);
      sum += (1 + excess) * (Number(excess > 0) - product) ** 2;
    });
  });
  return sum + lambda * [...x.flat(), ...y.flat()].reduce((total, value) => total + value ** 2, 0);
}

function rounded(score: number): number {
  return Math.round(score * 1e9) / 1e9;
}
