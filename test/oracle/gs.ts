import type { EstimatorOracle, OracleRows } from './estimator-oracle.js';
import { type EvaluatedRow, sum, type UserSums, weightOf } from './evaluated.js';
import { stratumOf } from './strata.js';

type OfItem = (item: number) => number;

/** Σ_v s_v · A_v / n_v over Σ_v s_v, strata gathered among the user's own rows. */
export function gsUser(users: EvaluatedRow[][], weight: OfItem, stratum: OfItem): UserSums {
  return users.map((rows) => {
    const total = sum(rows.map((row) => weight(row.item)));
    const parts = [...group(rows, stratum).values()].map((own) => {
      const s = sum(own.map((row) => weight(row.item)));
      return s * (sum(own.map((row) => row.gain)) / own.length);
    });
    return { numerator: sum(parts) / total, denominator: 1 };
  });
}

/** The same with strata gathered among the rows of all users; each user's share of it. */
export function gsPooled(users: EvaluatedRow[][], weight: OfItem, stratum: OfItem): UserSums {
  const means = new Map<number, number>();
  for (const [v, own] of group(users.flat(), stratum)) {
    means.set(v, sum(own.map((row) => weight(row.item))) / own.length);
  }
  const mean = (item: number) => means.get(stratum(item)) ?? 0;
  return users.map((rows) => ({
    numerator: sum(rows.map((row) => mean(row.item) * row.gain)),
    denominator: sum(rows.map((row) => mean(row.item))),
  }));
}

function group(rows: EvaluatedRow[], stratum: OfItem): Map<number, EvaluatedRow[]> {
  const groups = new Map<number, EvaluatedRow[]>();
  for (const row of rows) {
    const v = stratum(row.item);
    const own = groups.get(v);
    if (own === undefined) groups.set(v, [row]);
    else own.push(row);
  }
  return groups;
}

function given(form: typeof gsUser): (given: OracleRows) => UserSums {
  return ({ rows, window, options }) =>
    form(
      rows,
      (item) => weightOf(window, item, options),
      (item) => stratumOf(window, item, options),
    );
}

export const gs: EstimatorOracle = { user: given(gsUser), pooled: given(gsPooled) };
