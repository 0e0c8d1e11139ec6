import { METRICS, type Metric, metricOf } from '../metrics/registry.js';
import type { RandomizedTraffic, Refusal } from '../results/window-estimates.js';
import type { Estimator } from '../rules/estimator.js';
import { DEFAULT_ESTIMATORS, type EstimatorName, estimatorOf } from '../rules/registry.js';
import { AGGREGATIONS } from '../rules/weighting-rule.js';
import type { AbsoluteScale } from './scale.js';

/** Split estimators into those that a window's traffic allows, and refusals of the others. */
export function possibleEstimators(
  asked: readonly EstimatorName[],
  randomized: Pick<RandomizedTraffic, 'interactions' | 'positives'>,
): {
  estimators: EstimatorName[];
  refusals: Refusal[];
} {
  const estimators: EstimatorName[] = [];
  const refusals: Refusal[] = [];
  // If no estimator is named, use those that the traffic allows.
  const isDefault = DEFAULT_ESTIMATORS.every((name, n) => asked[n] === name);
  for (const estimator of asked) {
    const needed = estimatorOf(estimator).needs.randomized;
    if (needed === undefined || randomized[needed.of] > 0) {
      estimators.push(estimator);
    } else if (!isDefault) {
      refusals.push({
        estimator,
        reason: needed.reason,
      });
    }
  }
  return { estimators, refusals };
}

/**
 * List refusals of estimators without the propensities that they need, and of aggregations that an
 * estimator does not have.
 */
export function formRefusals(
  estimators: readonly EstimatorName[],
  scale: AbsoluteScale | null,
): Refusal[] {
  return estimators.flatMap((estimator): Refusal[] => {
    const { needs, without } = estimatorOf(estimator);
    if (needs.scale !== undefined && scale === null) {
      return [
        {
          estimator,
          reason: needs.scale,
        },
      ];
    }
    return AGGREGATIONS.flatMap((aggregation) => {
      const reason = without?.[aggregation];
      return reason === undefined
        ? []
        : [
            {
              estimator,
              aggregation,
              reason,
            },
          ];
    });
  });
}

const NOT_ADDITIVE =
  'weights single rows, but the metric needs a set of items, which only naive and the interventions have';

/** Kinds of estimators that support set metrics. */
const WITH_SETS: ReadonlySet<Estimator['kind']> = new Set(['observed', 'intervention']);

/** List refusals of set metrics under estimators that do not support them. */
export function setRefusals(
  metrics: readonly Metric[],
  estimators: readonly EstimatorName[],
): Refusal[] {
  const without = estimators.filter((name) => !WITH_SETS.has(estimatorOf(name).kind));
  return METRICS.filter((name) => metrics.includes(name) && metricOf(name).kind === 'set').flatMap(
    (metric) =>
      without.map((estimator) => ({
        estimator,
        metric,
        reason: NOT_ADDITIVE,
      })),
  );
}
