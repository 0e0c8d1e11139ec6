import type { Metric } from '../../src/estimators/metrics/registry.js';
import type { Chance } from './estimator-oracle.js';
import type { EvaluatedRow, UserSums } from './evaluated.js';
import { METRIC_ORACLES } from './metrics.js';

/** The metric of a set of rows whose gains are places from 1 (0: not in the first k). */
function measure(metric: Metric, k: number, rows: readonly EvaluatedRow[]): number {
  const oracle = METRIC_ORACLES[metric]!;
  if (!('ofSet' in oracle)) throw new Error(`${metric} is not a metric of sets`);
  const places = rows.map(({ gain }) => gain).filter((place) => place > 0);
  return oracle.ofSet(k, places, rows.length);
}

/** The expectation over every subset that can be drawn, at most 1 for a user who has a row. */
export function setUser(
  metric: Metric,
  k: number,
  users: EvaluatedRow[][],
  chance: Chance,
): UserSums {
  return users.map((rows) => {
    let numerator = 0;
    let denominator = 0;
    for (let subset = 1; subset < 1 << rows.length; subset++) {
      const probability = rows
        .map(({ user, item }, i) =>
          subset & (1 << i) ? chance(user, item) : 1 - chance(user, item),
        )
        .reduce((a, b) => a * b, 1);
      const kept = rows.filter((_, i) => subset & (1 << i));
      numerator += probability * measure(metric, k, kept);
      denominator += probability;
    }
    return { numerator: Math.min(numerator, denominator), denominator };
  });
}
