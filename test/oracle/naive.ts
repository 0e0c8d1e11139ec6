import type { EstimatorOracle } from './estimator-oracle.js';
import { type EvaluatedRow, sum, type UserSums } from './evaluated.js';

/** Mean gain per user, and over all rows. */
export function naiveUser(users: EvaluatedRow[][]): UserSums {
  return users.map((rows) => ({
    numerator: sum(rows.map((row) => row.gain)) / rows.length,
    denominator: 1,
  }));
}

export function naivePooled(users: EvaluatedRow[][]): UserSums {
  return users.map((rows) => ({
    numerator: sum(rows.map((row) => row.gain)),
    denominator: rows.length,
  }));
}

export const naive: EstimatorOracle = {
  user: ({ rows }) => naiveUser(rows),
  pooled: ({ rows }) => naivePooled(rows),
  chance: () => () => 1,
};
