import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { decimal, percent, whole } from '../figures.js';
import { formWords, metricName } from '../words.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';

/**
 * Findings about the order of models: whether estimators disagree on it, and which models look too
 * good without correction.
 */
export function rankingFindings(window: WindowSnapshot): Finding[] {
  return [...turnedRound(window), ...flattered(window)];
}

function turnedRound({ agreements }: WindowSnapshot): Finding[] {
  const turned = agreements.filter(({ flips }) => flips.length > 0);
  if (turned.length === 0) return [];
  const worst = turned.reduce((a, b) => (b.tau < a.tau ? b : a));
  const { aggregation, estimators, tau } = worst;
  const subject = {
    estimators,
    metrics: [metricName(worst)],
    aggregation,
  };
  const figures = {
    tau,
    cases: turned.length,
    of: agreements.length,
  };
  return [
    {
      code: 'rankings_differ',
      severity: 'note',
      subject,
      figures,
    },
  ];
}

/**
 * Report each model whose uncorrected value is above the interval of its corrected value, by at
 * least one metric.
 */
function flattered({ results, models }: WindowSnapshot): Finding[] {
  const measures = new Map<string, EstimateRow[]>();
  for (const row of results) {
    const key = `${metricName(row)} ${row.form}`;
    const rows = measures.get(key);
    if (rows === undefined) {
      measures.set(key, [row]);
    } else {
      rows.push(row);
    }
  }
  const names = models.map(({ model }) => model);
  const compared = [...measures.values()].flatMap((rows) => comparedModels(rows, names));
  return names.flatMap((model): Finding[] => {
    const own = compared.filter((row) => row.model === model);
    const better = own.filter(({ looksBetter }) => looksBetter);
    if (better.length === 0) return [];
    const share = Math.max(...better.map((row) => row.share));
    const subject = {
      models: [model],
      estimators: [UNCORRECTED, LEADING],
    } as const;
    const figures = {
      measures: better.length,
      of: own.length,
      share,
    };
    return [
      {
        code: 'looks_better',
        severity: 'note',
        subject,
        figures,
      },
    ];
  });
}

/** An estimate, in memory or from JSON. In JSON, unknown numbers are null. */
type ComparedEstimate = Pick<EstimateRow, 'model' | 'estimator'> & {
  readonly value: number | null;
  readonly upper: number | null;
};

export interface Compared {
  readonly model: string;
  readonly uncorrected: number;
  readonly value: number;
  /** Whether the uncorrected value is above the interval of the corrected one. */
  readonly looksBetter: boolean;
  /**
   * Fraction of the uncorrected value that the correction removes, because it is due to popularity.
   */
  readonly share: number;
}

/** Tolerance for differences that are only rounding errors. */
const ROUNDING = 1e-9;

/** Pair the uncorrected and corrected value of each model that has both, for one metric. */
export function comparedModels(
  estimates: readonly ComparedEstimate[],
  models: readonly string[],
  estimator: string = LEADING,
): Compared[] {
  return models.flatMap((model): Compared[] => {
    const of = (name: string) =>
      estimates.find((row) => row.model === model && row.estimator === name);
    const uncorrected = of(UNCORRECTED)?.value;
    const corrected = of(estimator);
    if (!isNumber(uncorrected) || !isNumber(corrected?.value)) return [];
    const looksBetter = isNumber(corrected.upper) && uncorrected - corrected.upper > ROUNDING;
    const share = uncorrected > 0 ? (uncorrected - corrected.value) / uncorrected : 0;
    return [
      {
        model,
        uncorrected,
        value: corrected.value,
        looksBetter,
        share,
      },
    ];
  });
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

export const RANKING_WORDS = {
  rankings_differ: ({ subject: { estimators = [], metrics = [], aggregation }, figures }) =>
    say`Two estimators order the models differently in ${whole(figures.cases)} of ${whole(figures.of)} comparisons. The largest disagreement is between ${estimators.join(' and ')} on ${metrics.join()}, ${aggregation === undefined ? '' : formWords(aggregation)} (Kendall’s τ = ${decimal(figures.tau, 2)}).`,
  looks_better: ({ subject: { models = [], estimators = [] }, figures }) =>
    say`Without correction, ${{ name: models[0] }} looks too good in ${whole(figures.measures)} of ${whole(figures.of)} measures. Judging by ${estimators[1]}, up to ${percent(figures.share)} of its ${estimators[0]} value comes from popularity.`,
} satisfies Words;
