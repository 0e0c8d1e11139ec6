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
        'Number of models with an estimate in this window. If one is missing, its lists do not arrive, or there are more models than models.max.',
      unit: 'none',
      queries: [
        { expr: 'count(count by (model) (unskew_estimate{window="$window"}))', legend: 'models' },
      ],
    }),
    stat({
      title: 'Drift alarms',
      description:
        'Number of series in which a detector has found a change. If it is not 0, see Evidence for a change below, and UnskewDrift in the runbook.',
      unit: 'none',
      queries: [{ expr: 'sum(unskew_drift_alarm) or vector(0)', legend: 'alarms' }],
      bounds: { warn: 1, bad: 3 },
    }),
    stat({
      title: 'Age of the newest numbers',
      description:
        'Time between the end of the newest pane and now. If it is more than a few ticks, see the dashboard Service.',
      unit: 's',
      queries: [{ expr: 'time() - max(unskew_pane_end_seconds)', legend: 'age' }],
      bounds: { warn: 300, bad: 900 },
    }),
    stat({
      title: 'γ in use',
      description:
        'Exponent of presentation bias that debiased values use. If its source is last_good or assumed, see the dashboard Propensity and weights.',
      unit: 'none',
      decimals: 2,
      queries: [{ expr: 'max by (source) (unskew_gamma_used)', legend: '{{source}}' }],
    }),
    stat({
      title: 'Smallest effective sample',
      description:
        'Effective number of users behind the least certain of the chosen estimates. Below 30, do not act on it: choose a longer window, or the aggregation pooled.',
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
      title: 'Invalid events',
      description:
        'Share of the events of the last five minutes that are invalid and do not count. Above 1 %, see the dashboard Data quality.',
      unit: 'percentunit',
      decimals: 2,
      queries: [{ expr: 'max(unskew:faults:ratio_rate5m) or vector(0)', legend: 'invalid' }],
      bounds: { warn: 0.001, bad: 0.01 },
    }),
  ],
};

const better: Section = {
  title: 'Debiased values against naive values',
  panels: [
    timeSeries({
      title: 'Debiased and naive',
      description:
        'Solid: the chosen estimator. Dashed: the plain average (naive). Rank models by the solid lines. If the dashed lines rank them differently, popularity bias is the reason.',
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
        'The chosen estimator with its 95 % interval. Two models whose intervals overlap may still differ: see Difference to the reference model, which is paired by user.',
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
      title: 'Share of the naive value that is popularity',
      description:
        '(naive − snips) / naive: the share of the naive value that snips attributes to popularity. Below 0, the naive value understates the model. If it rises without a release, the recommender amplifies its own popularity bias.',
      unit: 'percentunit',
      queries: [{ expr: `unskew:naive_popularity:ratio{${ONE_ESTIMATE}}`, legend: '{{model}}' }],
    }),
    timeSeries({
      title: 'Difference to the reference model',
      description:
        'Estimate of a model minus that of the reference model, over the same users, with its 95 % interval. The model is better if the whole interval is above 0.',
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
  title: 'Effect and reward of served lists',
  panels: [
    timeSeries({
      title: 'Positives driven by served lists',
      description:
        'Share of the positive pairs driven by served lists. Above 2 %, estimates carry a caution; above 10 %, they are not reported, because they would favour the model that was served.',
      unit: 'percentunit',
      min: 0,
      queries: [{ expr: 'unskew_caused_ratio{window="$window"}', legend: '{{source}}' }],
      bounds: { warn: 0.02, bad: 0.1 },
    }),
    timeSeries({
      title: 'Estimates that are not reported',
      description:
        'Number of estimates that are not reported, by model and reason. Use the estimates from organic interactions instead: they are on the page, and in unskew_uncaused_estimate.',
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
      title: 'Reward per served list',
      description:
        'Mean reward of the lists that a model served, with rewards from events.actions. It needs no correction, and says nothing about models that are not served.',
      unit: 'none',
      queries: ['', '_lower', '_upper'].map((end) => ({
        expr: `unskew_estimate${end}{metric="value",estimator="on_policy",aggregation="pooled",model=~"$model",window="$window"}`,
        legend: `{{model}}${end.replace('_', ' ')}`,
        ...(end !== '' && { style: 'limit' as const }),
      })),
    }),
    timeSeries({
      title: 'Reward per request, relative to the control',
      description:
        'Reward per request with the model’s lists, minus that with the control’s (comparisons.control), with its 95 % interval. The interval is valid for one window only: act on it in the window that the experiment was planned for, and do not check window after window. 0 if events have no request ids.',
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
        'Share of all interactions that comes from the most active user. If it is at least 1 % and 20 times that of the median user, UnskewUsersApart fires: the user may be a crawler.',
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
        'Score of each detector, divided by its threshold: at 1 it raises an alarm. If a line climbs for several panes, a change may be under way.',
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
        '1 while an alarm is active. The alarms of /api/v1/estimates name the items responsible; UnskewDrift in the runbook says what to do. Suppressed alarms have weak evidence: wait, or fix the cause that they name.',
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
        'The chosen estimator over all events, for each value of the dimension. If a model wins on popular items only, popularity explains its lead. Values with fewer than 30 effective users are absent.',
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
    'Which model is better, how much of its value is popularity, whether popularity bias grows, and whether the numbers can be trusted.',
  choices: [MODEL, METRIC, K, ESTIMATOR, AGGREGATION, WINDOW, DIMENSION],
  sections: [glance, ranking, better, segments, shown, drift, concentration],
});
