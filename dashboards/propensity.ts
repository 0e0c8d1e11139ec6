import { AGGREGATION, ESTIMATOR, K, METRIC, MODEL, ONE_ESTIMATE, WINDOW } from './choices.js';
import { dashboard, type Section } from './dashboard.js';
import { bars, timeSeries } from './panel.js';

const gamma: Section = {
  title: 'γ: how exposure follows popularity',
  panels: [
    timeSeries({
      title: 'γ by fit',
      description:
        'Fitted exponent of presentation bias, for all models together (*) and for each. The fits ols and poisson should agree. If they differ, set gammaFit to poisson, because ols is biased low if items differ much.',
      unit: 'none',
      queries: [
        { expr: 'unskew_gamma{model=~"[*]|$model"}', legend: '{{model}} {{fit}}' },
        { expr: 'unskew_gamma_used', legend: 'used ({{source}})' },
      ],
    }),
    timeSeries({
      title: 'Standard error of γ',
      description:
        'Standard error of the fitted exponent, which widens the intervals of debiased values. If it is large, raise gammaPeriod, so that more exposures are fitted.',
      unit: 'none',
      min: 0,
      queries: [{ expr: 'unskew_gamma_stderr{model=~"[*]|$model"}', legend: '{{model}} {{fit}}' }],
    }),
    timeSeries({
      title: 'Status of the fit',
      description:
        '1 for the current status of the fit. Unless it is ok, the last good γ or the default is used. UnskewGammaNotFitted in the runbook says what to do about each status.',
      unit: 'none',
      min: 0,
      max: 1,
      queries: [{ expr: 'max by (status) (unskew_gamma_status{model="*"})', legend: '{{status}}' }],
    }),
    bars({
      title: 'Exposures by popularity',
      description:
        'Exposures per item, by the number of earlier interactions with the item (on log2 bins). Under a power law, each bar is a fixed multiple of the one before. If the ratio between bars changes, one γ does not describe all items.',
      unit: 'none',
      queries: [
        {
          expr: 'sort(avg by (level) (unskew_exposure_curve{model="*"}))',
          legend: '{{level}} interactions or more',
        },
      ],
    }),
  ],
};

const weights: Section = {
  title: 'Weights and effective sample sizes',
  panels: [
    timeSeries({
      title: 'Effective sample size by users',
      description:
        'Number of equally weighted users that the estimate is worth. Below 30, no alarm uses the estimate, and you should not act on it: choose a longer window.',
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
        'Number of equally weighted events that the estimate is worth. If it is far below the number of events, a few rare items decide the estimate: raise estimates.smoothing, or compare gs with snips.',
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
      description:
        'Standard error of each estimate, clustered by user. Changes of less than two standard errors are noise.',
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
      title: 'Gap between naive and snips, in standard errors',
      description:
        'naive minus snips, divided by the standard error of snips. A gap of more than 4 standard errors is not chance.',
      unit: 'none',
      queries: [{ expr: `unskew:naive_gap:sigmas{${ONE_ESTIMATE}}`, legend: '{{model}}' }],
    }),
    timeSeries({
      title: 'Users with one event',
      description:
        'Share of users with one evaluated event: for them, per-user snips and gs equal naive. If it is high, use the aggregation pooled, or a longer window.',
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
        'Quantiles of the sampling weights, relative to their mean. If the largest is in the hundreds, a few rows decide the results of skew and wtd_h: read them with care.',
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
        'Standard error of the difference to the reference model, paired by user, so what both models share cancels. Use it to plan the length of an experiment.',
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
  title: 'Propensity file: weights of ratings',
  panels: [
    timeSeries({
      title: 'Age of the file',
      description:
        'Event time since the newest rating that the propensity file was learned from. Learn the file again after 30 days. Empty if ratings.propensities names no file.',
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
        'Share of the ratings that would have to be on other items or values to match the propensity file, and the upper bound of this share by chance alone. UnskewPropensitiesDrifted fires 10 percentage points above that bound: learn the file again.',
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [
        { expr: 'unskew_propensity_margin_distance{window="$window"}', legend: 'distance' },
        { expr: 'unskew_propensity_margin_chance{window="$window"}', legend: 'by chance' },
      ],
    }),
    timeSeries({
      title: 'Pairs that the file does not cover',
      description:
        'Rated pairs whose user, item or value is not in the propensity file. Only naive includes them, and ips is not reported as long as there are any: learn the file again.',
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
      title: 'Reloads of the propensity file',
      description:
        'Reloads in the last hour, by outcome. If the file is rejected, the old one stays in use, and the log says why. rejected now is 1 while the current file cannot be used.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'increase(unskew_propensity_file_readings_total[1h])',
          legend: '{{outcome}}',
        },
        { expr: 'unskew_propensity_file_refused', legend: 'rejected now' },
      ],
    }),
  ],
};

export const propensity = dashboard({
  uid: 'unskew-propensity',
  title: 'unskew / Propensity and weights',
  description: 'The inputs of the correction: γ and its fit, the weights, and the propensity file.',
  choices: [MODEL, METRIC, K, ESTIMATOR, AGGREGATION, WINDOW],
  sections: [gamma, weights, file],
});
