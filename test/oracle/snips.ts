import type { EstimatorOracle } from './estimator-oracle.js';
import { type EvaluatedRow, sum, type UserSums, weightOf } from './evaluated.js';

type Weight = (item: number) => number;

/** Σ wλ / Σ w per user, and over all rows. */
export function snipsUser(users: EvaluatedRow[][], weight: Weight): UserSums {
  return snipsPooled(users, weight).map(({ numerator, denominator }) => ({
    numerator: numerator / denominator,
    denominator: 1,
  }));
}

export function snipsPooled(users: EvaluatedRow[][], weight: Weight): UserSums {
  return users.map((rows) => ({
    numerator: sum(rows.map((row) => weight(row.item) * row.gain)),
    denominator: sum(rows.map((row) => weight(row.item))),
  }));
}

export const snips: EstimatorOracle = {
  user: ({ rows, window, options }) => snipsUser(rows, (item) => weightOf(window, item, options)),
  pooled: ({ rows, window, options }) =>
    snipsPooled(rows, (item) => weightOf(window, item, options)),
};
