import type { Choice } from './dashboard.js';

export const MODEL: Choice = {
  name: 'model',
  label: 'Model',
  description: 'Models that are shown',
  query: 'label_values(unskew_estimate, model)',
  isMulti: true,
};

export const METRIC: Choice = {
  name: 'metric',
  label: 'Metric',
  description: 'What models are measured by',
  query: 'label_values(unskew_estimate, metric)',
  first: 'recall',
};

export const K: Choice = {
  name: 'k',
  label: 'k',
  description: 'Cut-off of the list; empty for metrics without one',
  query: 'label_values(unskew_estimate{metric="$metric"}, k)',
  first: '10',
};

export const ESTIMATOR: Choice = {
  name: 'estimator',
  label: 'Estimator',
  description: 'How popularity is allowed for; naive is always beside it',
  query: 'label_values(unskew_estimate{metric="$metric"}, estimator)',
  first: 'snips',
};

export const AGGREGATION: Choice = {
  name: 'aggregation',
  label: 'Aggregation',
  description: 'user: every user has the same say; pooled: every event has; request: every list',
  query: 'label_values(unskew_estimate{metric="$metric"}, aggregation)',
  first: 'pooled',
};

export const WINDOW: Choice = {
  name: 'window',
  label: 'Window',
  description: 'How much of the past a value is made of',
  query: 'label_values(unskew_estimate, window)',
};

export const DIMENSION: Choice = {
  name: 'dimension',
  label: 'Segments by',
  description: 'What estimates are divided by',
  query: 'label_values(unskew_segment_estimate, dimension)',
  first: 'item_popularity',
};

/** Labels that pick one line a model. */
export const ONE_ESTIMATE =
  'model=~"$model",metric="$metric",k="$k",aggregation="$aggregation",window="$window"';
