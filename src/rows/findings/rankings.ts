import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { decimal, percent, whole } from '../figures.js';
import { formWords, metricName } from '../words.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';

/**
 * Findings about models whose order the correction reverses, and about the model that it lowers
 * most.
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

/** Report the model whose uncorrected value is too good in the most measures. */
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

/** An estimate as in JSON, with null for unknown numbers. */
type ComparedEstimate = Pick<EstimateRow, 'model' | 'estimator'> & {
  readonly value: number | null;
  readonly upper: number | null;
};

export interface Compared {
  readonly model: string;
  readonly uncorrected: number;
  readonly value: number;
  /** The uncorrected value is above the interval of the corrected one. */
  readonly looksBetter: boolean;
  /** Share of the uncorrected value that is due to popularity. */
  readonly share: number;
}

/** Relative tolerance for sums in another order. */
const ROUNDING = 1e-9;

/** Pair uncorrected and corrected values of one measure, for models with both. */
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
    say`Estimators disagree on the order of the models in ${whole(figures.cases)} of ${whole(figures.of)} cases. They disagree most between ${estimators.join(' and ')} on ${metrics.join()}, ${aggregation === undefined ? '' : formWords(aggregation)} (Kendall’s τ = ${decimal(figures.tau, 2)}).`,
  looks_better: ({ subject: { models = [], estimators = [] }, figures }) =>
    say`Without correction ${{ name: models[0] }} looks too good in ${whole(figures.measures)} of ${whole(figures.of)} measures. Judging by ${estimators[1]}, up to ${percent(figures.share)} of its ${estimators[0]} value comes from popularity.`,
} satisfies Words;
