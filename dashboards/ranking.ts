import { ONE_ESTIMATE } from './choices.js';
import type { Section } from './dashboard.js';
import { table, timeSeries } from './panel.js';

const PART = 'Share that is popularity';

function ofModel(metric: string, estimator: string): string {
  return `max by (model) (${metric}{${ONE_ESTIMATE},estimator="${estimator}"})`;
}

/** The order of the models, and which of two is proved better. */
export const ranking: Section = {
  title: 'Which model is best',
  panels: [
    table({
      title: 'Leaderboard',
      description:
        'Models ranked by the chosen estimator with its 95 % interval, beside the plain average (naive) and the share of it that is popularity: (naive − snips) / naive. Act on the order only if a verdict confirms it: these intervals are valid for one window only.',
      unit: 'none',
      decimals: 4,
      labels: ['model'],
      queries: [
        { expr: ofModel('unskew_estimate', '$estimator'), legend: 'Corrected' },
        { expr: ofModel('unskew_estimate_lower', '$estimator'), legend: 'Lower' },
        { expr: ofModel('unskew_estimate_upper', '$estimator'), legend: 'Upper' },
        { expr: ofModel('unskew_estimate', 'naive'), legend: 'Uncorrected' },
        {
          expr: `max by (model) (unskew:naive_popularity:ratio{${ONE_ESTIMATE}})`,
          legend: PART,
        },
      ],
      units: { [PART]: 'percentunit' },
      sortedBy: 'Corrected',
    }),
    table({
      title: 'Verdicts',
      description:
        'Verdict on each model against the reference: which of the two is better, or why that is not known yet. It is valid however often you look, so you can act on it at any time. The first verdict appears after a day of events; until then there is one empty row.',
      unit: 'none',
      labels: ['model', 'reference', 'state', 'better', 'metric', 'k'],
      queries: [
        {
          expr: 'max by (model, reference, state, better, metric, k) (unskew_verdict_state) or vector(0)',
          legend: 'said',
        },
      ],
      isOfLabels: true,
    }),
    timeSeries({
      title: 'Difference behind the verdicts',
      description:
        'Value of a model minus that of the reference, since the comparison began, with an interval that is valid however often you look. Act if the interval excludes 0 and the panel Verdicts prefers one model. The difference is 0 until a day of events is complete.',
      unit: 'none',
      span: 24,
      queries: ['', '_lower', '_upper'].map((end) => ({
        expr: `unskew_verdict_difference${end} or vector(0)`,
        legend: `{{model}} − {{reference}}${end.replace('_', ' ')}`,
        ...(end !== '' && { style: 'limit' as const }),
      })),
    }),
  ],
};
