import { AGGREGATION, ESTIMATOR, K, METRIC, MODEL, ONE_ESTIMATE, WINDOW } from './choices.js';
import { dashboard, type Section } from './dashboard.js';
import { bars, timeSeries } from './panel.js';

const gamma: Section = {
  title: 'γ: how exposure follows popularity',
  panels: [
    timeSeries({
      title: 'γ by fit',
      description:
        'Fitted exponent of presentation bias, for all models (*) and each. The two fits should agree; ols is biased low if items differ much. If they part, set gammaFit to poisson.',
      unit: 'none',
      queries: [
        { expr: 'unskew_gamma{model=~"[*]|$model"}', legend: '{{model}} {{fit}}' },
        { expr: 'unskew_gamma_used', legend: 'used ({{source}})' },
      ],
    }),
    timeSeries({
      title: 'Standard error of γ',
      description:
        'It widens the intervals of debiased values. If it is large, a longer gammaPeriod gives more exposures to fit.',
      unit: 'none',
      min: 0,
      queries: [{ expr: 'unskew_gamma_stderr{model=~"[*]|$model"}', legend: '{{model}} {{fit}}' }],
    }),
    timeSeries({
      title: 'Status of the fit',
      description:
        '1 for the current status. Only ok is used; else the last good γ or the default. What each of the others asks for is in the runbook under UnskewGammaNotFitted.',
      unit: 'none',
      min: 0,
      max: 1,
      queries: [{ expr: 'max by (status) (unskew_gamma_status{model="*"})', legend: '{{status}}' }],
    }),
    bars({
      title: 'Exposures by popularity',
      description:
        'Exposures per item, by how often the item was picked before. On a power law each bar is a fixed multiple of the last. If the bars bend, one γ does not describe all items.',
      unit: 'none',
      queries: [
        {
          expr: 'sort(avg by (level) (unskew_exposure_curve{model="*"}))',
          legend: 'picked {{level}} times or more',
        },
      ],
    }),
  ],
};

const weights: Section = {
  title: 'Weights: what the estimates rest on',
  panels: [
    timeSeries({
      title: 'Effective sample size by users',
      description:
        'As many users with equal weights would be worth the same. Below 30 no alarm rests on the estimate, and you should not either: take a longer window.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'unskew_effective_sample_size{model=~"$model",window="$window",unit="user",estimator=~"naive|$estimator"}',
          legend: '{{model}} {{estimator}}',
        },
      ],
      bounds: { warn: 100, bad: 30 },
    }),
    timeSeries({
      title: 'Effective sample size by events',
      description:
        'If it is far below the number of events, a few rare items carry the estimate. Raise estimates.smoothing, or look at gs beside snips.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'unskew_effective_sample_size{model=~"$model",window="$window",unit="event",estimator=~"naive|$estimator"}',
          legend: '{{model}} {{estimator}}',
        },
      ],
    }),
    timeSeries({
      title: 'Standard error of the estimate',
      description: 'Clustered by user. Differences of less than two of them are noise.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: `unskew_estimate_stderr{${ONE_ESTIMATE},estimator=~"naive|$estimator"}`,
          legend: '{{model}} {{estimator}}',
        },
      ],
    }),
    timeSeries({
      title: 'Gap in standard errors',
      description:
        'naive minus snips, in standard errors of the latter. Beyond 4 the gap is too large to be chance.',
      unit: 'none',
      queries: [{ expr: `unskew:naive_gap:sigmas{${ONE_ESTIMATE}}`, legend: '{{model}}' }],
    }),
    timeSeries({
      title: 'Users with one event',
      description:
        'For them per-user snips and gs are naive. If it is high, read the aggregation pooled, or a longer window.',
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [
        {
          expr: 'unskew_singleton_user_ratio{model=~"$model",window="$window"}',
          legend: '{{model}}',
        },
      ],
    }),
    timeSeries({
      title: 'Sampling weights of skew and wtd_h',
      description:
        'Quantiles of the weights over their mean. A largest one of hundreds means that a few rows decide: read skew and wtd_h with care there.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'max by (estimator, side, quantile) (unskew_intervention_weight{window="$window"})',
          legend: '{{estimator}} {{side}} {{quantile}}',
        },
      ],
    }),
    timeSeries({
      title: 'Standard error of the difference',
      description:
        'To the reference model, paired by user: what both share cancels. It is the one to plan an experiment’s length by.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: `unskew_estimate_difference_stderr{${ONE_ESTIMATE},estimator="$estimator"}`,
          legend: '{{model}} − {{reference}}',
        },
      ],
    }),
  ],
};

const file: Section = {
  title: 'File of propensities: how ratings are weighted',
  panels: [
    timeSeries({
      title: 'Age of the file',
      description:
        'Event time since the newest rating that it was learned from, by its kind, version and date; empty where ratings.propensities names no file. After 30 days, learn it again.',
      unit: 's',
      min: 0,
      queries: [
        {
          expr: 'unskew_propensity_file_age_seconds * on (instance) group_right () unskew_propensity_file_info',
          legend: '{{kind}} {{version}} of {{date}}',
        },
      ],
    }),
    timeSeries({
      title: 'Drift of the margins',
      description:
        'Share of the ratings that would have to be of other items or values to lie as the file expects, beside what chance alone stays below. A tenth beyond it is an alert: learn the file again.',
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [
        { expr: 'unskew_propensity_margin_distance{window="$window"}', legend: 'distance' },
        { expr: 'unskew_propensity_margin_chance{window="$window"}', legend: 'by chance' },
      ],
    }),
    timeSeries({
      title: 'Pairs that the file does not know',
      description:
        'Rated pairs of users, items or values that came after it was learned. They are in naive alone, and ips is refused as long as there are any.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'unskew_propensity_unknown_pairs{window="$window"}',
          legend: '{{unknown}}',
        },
      ],
    }),
    timeSeries({
      title: 'Readings of a changed file',
      description:
        'Within an hour: taken, or refused, in which case the old one stays in use and the log says why. 1 for refused now as long as the file that is there cannot be used.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'increase(unskew_propensity_file_readings_total[1h])',
          legend: '{{outcome}}',
        },
        { expr: 'unskew_propensity_file_refused', legend: 'refused now' },
      ],
    }),
  ],
};

export const propensity = dashboard({
  uid: 'unskew-propensity',
  title: 'unskew / Propensity and weights',
  description:
    'What the correction rests on: γ, its fit, the weights, and the file of propensities.',
  choices: [MODEL, METRIC, K, ESTIMATOR, AGGREGATION, WINDOW],
  sections: [gamma, weights, file],
});
