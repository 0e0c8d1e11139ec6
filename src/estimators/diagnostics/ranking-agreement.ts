import type { EstimatorName } from '../names.js';
import type { EstimateRow } from '../results/estimate.js';
import type { RankingAgreement } from '../results/window-estimates.js';

/**
 * Values closer than this, relative to the larger, count as tied, since the order of summation (and
 * so the number of partitions) changes them by rounding.
 */
const TIE = 1e-12;

/** Sign of a − b; 0 if they differ by rounding only. */
function order(a: number, b: number): number {
  return Math.abs(a - b) <= TIE * Math.max(Math.abs(a), Math.abs(b)) ? 0 : Math.sign(a - b);
}

/**
 * Kendall's rank correlation of two series, ties accounted for.
 *
 * τ_b = (C − D) / √((n₀ − n₁)(n₀ − n₂)), C concordant and D discordant pairs, n₀ = n(n − 1)/2 all
 * pairs, n₁ and n₂ those tied in the first and in the second series.
 * Source: Kendall 1945. Range [−1, 1]; O(n²) pairs.
 *
 * @param a,b equally many values. @returns NaN if a series is tied throughout or has one value.
 * @example
 * kendallTau([1, 2, 3], [1, 3, 2]); // 1/3
 */
export function kendallTau(a: readonly number[], b: readonly number[]): number {
  let balance = 0;
  let untiedA = 0;
  let untiedB = 0;
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < i; j++) {
      const signA = order(a[i], a[j]);
      const signB = order(b[i], b[j]);
      balance += signA * signB;
      untiedA += signA * signA;
      untiedB += signB * signB;
    }
  }
  return balance / Math.sqrt(untiedA * untiedB);
}

/**
 * Compare how every two estimators order the models, for each metric, cut-off and aggregation, over
 * the models for which both have a value.
 *
 * Gives τ-b as in `kendallTau`, and the pairs of models that the two estimators order differently.
 * Source: generalized-stratified, section 5 (Kendall's τ of model rankings).
 *
 * @returns an empty list if fewer than two models have values.
 */
export function rankingAgreements(results: readonly EstimateRow[]): RankingAgreement[] {
  const groups = new Map<string, EstimateRow[]>();
  for (const row of results) {
    const key = `${row.metric} ${row.k} ${row.form}`;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [row]);
    } else {
      group.push(row);
    }
  }
  return [...groups.values()].flatMap(agreementsOf);
}

function agreementsOf(rows: readonly EstimateRow[]): RankingAgreement[] {
  const { metric, k, form: aggregation } = rows[0];
  const models = [...new Set(rows.map(({ model }) => model))];
  const place = new Map(models.map((model, m) => [model, m]));
  // A value for each model; NaN if the estimator has none.
  const columns = new Map<EstimatorName, number[]>();
  for (const { estimator, model, value } of rows) {
    let column = columns.get(estimator);
    if (column === undefined) {
      column = models.map(() => Number.NaN);
      columns.set(estimator, column);
    }
    column[place.get(model)!] = value;
  }
  const found: RankingAgreement[] = [];
  const estimators = [...columns];
  for (const [e, [first, a]] of estimators.entries()) {
    for (const [second, b] of estimators.slice(e + 1)) {
      const shared = [...a.keys()].filter((m) => !Number.isNaN(a[m]) && !Number.isNaN(b[m]));
      if (shared.length < 2) continue;
      const tau = kendallTau(
        shared.map((m) => a[m]),
        shared.map((m) => b[m]),
      );
      const pairs = flips(shared, a, b).map(
        ([one, other]) => [models[one], models[other]] as const,
      );
      found.push({
        metric,
        k,
        aggregation,
        estimators: [first, second],
        tau,
        flips: pairs,
      });
    }
  }
  return found;
}

function flips(models: readonly number[], a: readonly number[], b: readonly number[]) {
  const found: [number, number][] = [];
  for (const one of models) {
    for (const other of models) {
      if (order(a[one], a[other]) > 0 && order(b[one], b[other]) < 0) {
        found.push([one, other]);
      }
    }
  }
  return found;
}
