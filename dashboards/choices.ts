import type { Choice } from './dashboard.js';

export const MODEL: Choice = {
  name: 'model',
  label: 'Model',
  description: 'Models to show',
  query: 'label_values(unskew_estimate, model)',
  isMulti: true,
};

export const METRIC: Choice = {
  name: 'metric',
  label: 'Metric',
  description: 'Metric to compare models by',
  query: 'label_values(unskew_estimate, metric)',
  first: 'recall',
};

export const K: Choice = {
  name: 'k',
  label: 'k',
  description: 'Cut-off k of the metric; empty for metrics without one',
  query: 'label_values(unskew_estimate{metric="$metric"}, k)',
  first: '10',
};

export const ESTIMATOR: Choice = {
  name: 'estimator',
  label: 'Estimator',
  description:
    'Estimator, which decides how popularity bias is corrected; naive is always shown beside it',
  query: 'label_values(unskew_estimate{metric="$metric"}, estimator)',
  first: 'snips',
};

export const AGGREGATION: Choice = {
  name: 'aggregation',
  label: 'Aggregation',
  description: 'user: every user has the same weight; pooled: every event; request: every request',
  query: 'label_values(unskew_estimate{metric="$metric"}, aggregation)',
  first: 'pooled',
};

export const WINDOW: Choice = {
  name: 'window',
  label: 'Window',
  description: 'Period of event time that each value covers',
  query: 'label_values(unskew_estimate, window)',
};

export const DIMENSION: Choice = {
  name: 'dimension',
  label: 'Segments',
  description: 'Dimension that splits estimates into segments',
  query: 'label_values(unskew_segment_estimate, dimension)',
  first: 'item_popularity',
};

/** Labels that pick one line a model. */
export const ONE_ESTIMATE =
  'model=~"$model",metric="$metric",k="$k",aggregation="$aggregation",window="$window"';
