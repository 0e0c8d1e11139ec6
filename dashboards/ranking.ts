import { ONE_ESTIMATE } from './choices.js';
import type { Section } from './dashboard.js';
import { table, timeSeries } from './panel.js';

const PART = 'Part that is popularity';

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
        'Models by the chosen estimator, with the 95 % interval, the plain average beside it, and the part of that which is popularity by snips: (naive − snips) / naive, as on the page. Act on the order only where the verdict says so: intervals of one window are not made for being looked at all the time.',
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
        'What is said of each model against the reference: prefer, with which of the two is better, or why not yet. It holds at all looks, so it may be acted on whenever it stands; the first comes after a day of events, and until then there is one empty row.',
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
      title: 'Difference that verdicts rest on',
      description:
        'Value of a model minus that of the reference since both began, with the interval that holds at all looks. Act where it is clear of 0 and Verdicts prefers one; 0 before the first day is over.',
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
