import { type EstimatorName, UNCORRECTED } from '../../estimators/names.js';
import type { EstimateDifference, EstimateRow } from '../../estimators/results/estimate.js';
import type { RankingAgreement } from '../../estimators/results/window-estimates.js';

/** Metric, cut-off and aggregation that models are ranked by. */
export type Measure = Pick<RankingAgreement, 'metric' | 'k' | 'aggregation'>;

export function isSameMeasure(a: Measure, b: Measure): boolean {
  return a.metric === b.metric && a.k === b.k && a.aggregation === b.aggregation;
}

function isOf({ metric, k, form }: Pick<EstimateRow, 'metric' | 'k' | 'form'>, measure: Measure) {
  return isSameMeasure(
    {
      metric,
      k,
      aggregation: form,
    },
    measure,
  );
}

/**
 * Find the models with the largest value by an estimator: several if they are tied, none if there
 * is only one model.
 */
export function bestModels(
  results: readonly EstimateRow[],
  measure: Measure,
  estimator: EstimatorName,
): string[] {
  const own = results.filter((row) => isOf(row, measure) && row.estimator === estimator);
  if (own.length < 2) return [];
  const most = Math.max(...own.map(({ value }) => value));
  return own.filter(({ value }) => value === most).map(({ model }) => model);
}

/** Kendall's τ between the orders of the models by `naive` and by another estimator. */
export function tauWithUncorrected(
  agreements: readonly RankingAgreement[],
  measure: Measure,
  estimator: EstimatorName,
): number | undefined {
  return agreements.find(
    (agreement) =>
      isSameMeasure(agreement, measure) &&
      estimator !== UNCORRECTED &&
      agreement.estimators.includes(UNCORRECTED) &&
      agreement.estimators.includes(estimator),
  )?.tau;
}

/** A pair of models whose order differs between `naive` and another estimator. */
export interface Flip extends Measure {
  readonly preferred: string;
  readonly other: string;
  readonly estimator: EstimatorName;
  /** Whether the interval of the difference excludes 0 under both estimators. */
  readonly isClear: boolean;
}

/**
 * Find the pairs whose order by `naive` differs from that by any other estimator, for one metric.
 */
export function flipsFromUncorrected(
  agreements: readonly RankingAgreement[],
  differences: readonly EstimateDifference[],
  measure: Measure,
): Flip[] {
  return agreements
    .filter((agreement) => isSameMeasure(agreement, measure))
    .flatMap(({ estimators: [first, second], flips }) => {
      if (first !== UNCORRECTED && second !== UNCORRECTED) return [];
      const estimator = first === UNCORRECTED ? second : first;
      return flips.map(([a, b]) => {
        const [preferred, other] = first === UNCORRECTED ? [a, b] : [b, a];
        const isClear = ([UNCORRECTED, estimator] as const).every((name) =>
          hasClearDifference(differences, measure, preferred, other, name),
        );
        return {
          ...measure,
          preferred,
          other,
          estimator,
          isClear,
        };
      });
    });
}

function hasClearDifference(
  differences: readonly EstimateDifference[],
  measure: Measure,
  one: string,
  other: string,
  estimator: EstimatorName,
): boolean {
  const found = differences.find(
    (row) =>
      isOf(row, measure) &&
      row.estimator === estimator &&
      ((row.model === one && row.reference === other) ||
        (row.model === other && row.reference === one)),
  );
  return found !== undefined && (found.lower > 0 || found.upper < 0);
}
