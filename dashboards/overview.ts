import {
  AGGREGATION,
  DIMENSION,
  ESTIMATOR,
  K,
  METRIC,
  MODEL,
  ONE_ESTIMATE,
  WINDOW,
} from './choices.js';
import { concentration } from './concentration.js';
import { dashboard, type Section } from './dashboard.js';
import { stat, timeSeries } from './panel.js';
import { ranking } from './ranking.js';

const glance: Section = {
  title: 'At a glance',
  panels: [
    stat({
      title: 'Models',
      description:
        'Models with a value in this window. If one is missing, its lists do not arrive, or there are more models than models.max.',
      unit: 'none',
      queries: [
        { expr: 'count(count by (model) (unskew_estimate{window="$window"}))', legend: 'models' },
      ],
    }),
    stat({
      title: 'Changes found',
      description:
        'Series that have changed according to a detector. If it is not 0, look at Evidence for a change below, and at the runbook under UnskewDrift.',
      unit: 'none',
      queries: [{ expr: 'sum(unskew_drift_alarm) or vector(0)', legend: 'alarms' }],
      bounds: { warn: 1, bad: 3 },
    }),
    stat({
      title: 'Age of the newest numbers',
      description:
        'How far the newest pane lies behind the clock. More than a few ticks: see the dashboard Service.',
      unit: 's',
      queries: [{ expr: 'time() - max(unskew_pane_end_seconds)', legend: 'age' }],
      bounds: { warn: 300, bad: 900 },
    }),
    stat({
      title: 'γ in use',
      description:
        'The exponent that debiased values rest on. If its source is last_good or assumed, see the dashboard Propensity and weights.',
      unit: 'none',
      decimals: 2,
      queries: [{ expr: 'max by (source) (unskew_gamma_used)', legend: '{{source}}' }],
    }),
    stat({
      title: 'Least effective sample',
      description:
        'Users that the weakest of the chosen estimates rests on. Below 30, do not act on it: take a longer window, or the aggregation pooled.',
      unit: 'none',
      decimals: 0,
      queries: [
        {
          expr: 'min(unskew_effective_sample_size{model=~"$model",estimator="$estimator",window="$window",unit="user"})',
          legend: 'users',
        },
      ],
      bounds: { warn: 100, bad: 30 },
    }),
    stat({
      title: 'Refused events',
      description:
        'Share of the events of the last five minutes that count in nothing. Above 1 %: see the dashboard Data quality.',
      unit: 'percentunit',
      decimals: 2,
      queries: [{ expr: 'max(unskew:faults:ratio_rate5m) or vector(0)', legend: 'refused' }],
      bounds: { warn: 0.001, bad: 0.01 },
    }),
  ],
};

const better: Section = {
  title: 'Which model is better than it looks, and which is not',
  panels: [
    timeSeries({
      title: 'Debiased and naive',
      description:
        'The chosen estimator, solid, beside the plain average, dashed. Act on the order of the debiased lines. If the naive ones show another order, popularity made it.',
      unit: 'none',
      queries: [
        { expr: `unskew_estimate{${ONE_ESTIMATE},estimator="$estimator"}`, legend: '{{model}}' },
        {
          expr: `unskew_estimate{${ONE_ESTIMATE},estimator="naive"}`,
          legend: '{{model}} naive',
          style: 'uncorrected',
        },
      ],
    }),
    timeSeries({
      title: 'Debiased, with its interval',
      description:
        '95 % intervals. Two models whose intervals overlap may still differ: look at Difference to the reference model, which is paired by user.',
      unit: 'none',
      queries: [
        { expr: `unskew_estimate{${ONE_ESTIMATE},estimator="$estimator"}`, legend: '{{model}}' },
        {
          expr: `unskew_estimate_lower{${ONE_ESTIMATE},estimator="$estimator"}`,
          legend: '{{model}} lower',
          style: 'limit',
        },
        {
          expr: `unskew_estimate_upper{${ONE_ESTIMATE},estimator="$estimator"}`,
          legend: '{{model}} upper',
          style: 'limit',
        },
      ],
    }),
    timeSeries({
      title: 'How much of naive is popularity',
      description:
        'Which part of naive snips takes away: (naive − snips) / naive, as on the page. Below 0 popularity hides what the model is worth. If it rises while nothing is released, the recommender feeds on itself.',
      unit: 'percentunit',
      queries: [{ expr: `unskew:naive_popularity:ratio{${ONE_ESTIMATE}}`, legend: '{{model}}' }],
    }),
    timeSeries({
      title: 'Difference to the reference model',
      description:
        'Value minus that of the reference model over the same users, with its 95 % interval. A model is better if all three of its lines are above 0.',
      unit: 'none',
      queries: ['', '_lower', '_upper'].map((end) => ({
        expr: `unskew_estimate_difference${end}{${ONE_ESTIMATE},estimator="$estimator"}`,
        legend: `{{model}} − {{reference}}${end.replace('_', ' ')}`,
        ...(end !== '' && { style: 'limit' as const }),
      })),
    }),
  ],
};

const shown: Section = {
  title: 'What shown lists cause, and are worth',
  panels: [
    timeSeries({
      title: 'Positives that shown lists caused',
      description:
        'Share of the positive pairs whose interaction names a shown list. Above 2 % estimates carry a caution, above 10 % they are withheld: they would praise the model that was shown.',
      unit: 'percentunit',
      min: 0,
      queries: [{ expr: 'unskew_caused_ratio{window="$window"}', legend: '{{source}}' }],
      bounds: { warn: 0.02, bad: 0.1 },
    }),
    timeSeries({
      title: 'Estimates that are withheld',
      description:
        'How many numbers are absent because of that, by model. Estimates over organic interactions are in unskew_uncaused_estimate, and the page shows them instead.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'count by (model, reason) (unskew_estimate_withheld{model=~"$model",window="$window"}) or vector(0)',
          legend: '{{model}} {{reason}}',
        },
      ],
    }),
    timeSeries({
      title: 'Reward of a shown list',
      description:
        'Mean reward of a list of the model when it is shown, by events.actions. It needs no correction, and says nothing about models that are not shown.',
      unit: 'none',
      queries: ['', '_lower', '_upper'].map((end) => ({
        expr: `unskew_estimate${end}{metric="value",estimator="on_policy",aggregation="pooled",model=~"$model",window="$window"}`,
        legend: `{{model}}${end.replace('_', ' ')}`,
        ...(end !== '' && { style: 'limit' as const }),
      })),
    }),
    timeSeries({
      title: 'Value of lists beside the control',
      description:
        'What a request is worth with the lists of the model, minus with those of the control (comparisons.control), with its 95 % interval for this window alone. If the interval excludes 0 in the window that the experiment was planned for, act on it; do not wait for it in window after window. 0 where requests are not named.',
      unit: 'none',
      queries: ['', '_lower', '_upper'].map((end) => ({
        expr: `unskew_estimate_difference${end}{metric="value",model=~"$model",window="$window"} or vector(0)`,
        legend: `{{model}} − {{reference}}${end.replace('_', ' ')}`,
        ...(end !== '' && { style: 'limit' as const }),
      })),
    }),
    timeSeries({
      title: 'Largest user',
      description:
        'Share of all interactions that one user has. If it is 1 % or more, and 20 times that of the median user, UnskewUsersApart fires: it may be a crawler.',
      unit: 'percentunit',
      min: 0,
      queries: [{ expr: 'max(unskew_largest_user_ratio) or vector(0)', legend: 'largest user' }],
      bounds: { warn: 0.01, bad: 0.1 },
    }),
  ],
};

const drift: Section = {
  title: 'Has anything changed',
  panels: [
    timeSeries({
      title: 'Evidence for a change',
      description:
        'Score of each detector over the score at which it fires, so 1 is an alarm. A line that climbs for several panes is a change in the making.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'unskew_drift_score / on (job, instance, series, detector) group_left () unskew_drift_threshold',
          legend: '{{series}} {{detector}}',
        },
      ],
      bounds: { warn: 0.7, bad: 1 },
    }),
    timeSeries({
      title: 'Alarms',
      description:
        '1 while a change is shown. What is behind it stands under /api/v1/estimates, in alarms; what to do, in the runbook under UnskewDrift. Suppressed ones rest on too little: wait, or fix the cause that they name.',
      unit: 'none',
      min: 0,
      max: 1,
      queries: [
        {
          expr: 'unskew_drift_alarm > 0 or sum(unskew_drift_alarm)',
          legend: '{{series}} {{detector}}',
        },
        {
          expr: 'unskew_drift_suppressed > 0 or sum(unskew_drift_suppressed)',
          legend: 'suppressed {{series}} {{detector}}',
        },
      ],
    }),
  ],
};

const OF_SEGMENT =
  'model=~"$model",metric="$metric",k="$k",window="$window",dimension="$dimension"';

const segments: Section = {
  title: 'Where models win and lose',
  panels: [
    timeSeries({
      title: 'By segment',
      description:
        'The chosen estimator over all events, by the values of a dimension. A model that wins on head items alone is praised for what is popular. Values with fewer than 30 effective users are absent.',
      unit: 'none',
      span: 24,
      queries: [
        {
          expr: `unskew_segment_estimate{${OF_SEGMENT},estimator="$estimator"} or vector(0)`,
          legend: '{{model}} {{value}} {{kind}}',
        },
      ],
    }),
  ],
};

export const overview = dashboard({
  uid: 'unskew-overview',
  title: 'unskew / Overview',
  description:
    'Is popularity bias growing, which model looks better than it is, can the numbers be trusted.',
  choices: [MODEL, METRIC, K, ESTIMATOR, AGGREGATION, WINDOW, DIMENSION],
  sections: [glance, ranking, better, segments, shown, drift, concentration],
});
