import { type EstimatorName, LEADING, type Metric, UNCORRECTED } from '../estimators/names.js';
import type { DecodedConfig } from './schema.js';
import { formatDuration } from './units.js';

/** The drift settings with what follows from other settings filled in. */
export type DriftConfig = DecodedConfig['drift'] & {
  /** Length of the panes, ms. */
  readonly window: number;
  /** As in `estimates.metrics`, with its cut-off where it has one. */
  readonly metric: string;
  readonly estimators: readonly EstimatorName[];
};

export interface WatchedMetric {
  readonly metric: Metric;
  readonly k: number | null;
}

/** Estimators whose difference tells how far popularity flatters a model. */
const WATCHED: readonly EstimatorName[] = [UNCORRECTED, LEADING];

/** The shortest window, the first metric at its largest cut-off, and naive beside snips. */
export function completeDrift({ drift, time, estimates }: DecodedConfig): DriftConfig {
  const [first] = watchable(estimates.metrics.slice(0, 1), estimates.ks.slice(-1));
  return {
    ...drift,
    window: drift.window ?? Math.min(...time.windows.map(({ ms }) => ms)),
    metric: drift.metric ?? metricName(first!),
    estimators: drift.estimators ?? estimates.estimators.filter((name) => WATCHED.includes(name)),
  };
}

/** What is watched has to be computed. */
export function checkDrift(
  { drift, time, estimates }: DecodedConfig,
  complete: DriftConfig,
  fault: (path: string, message: string) => void,
): void {
  if (!time.windows.some(({ ms }) => ms === complete.window)) {
    const windows = time.windows.map(({ name }) => name).join(', ');
    const found = formatDuration(complete.window);
    fault('drift.window', `expected one of time.windows (${windows}), found ${found}`);
  }
  const metrics = watchable(estimates.metrics, estimates.ks).map(metricName);
  if (!metrics.includes(complete.metric)) {
    fault('drift.metric', `expected one of ${metrics.join(', ')}, found ${complete.metric}`);
  }
  for (const name of drift.estimators ?? []) {
    if (estimates.estimators.includes(name)) continue;
    fault('drift.estimators', `expected some of estimates.estimators, found ${name}`);
  }
}

export function watchedMetric(name: string): WatchedMetric {
  const [metric, k] = name.split('@');
  return { metric: metric as Metric, k: k === undefined ? null : Number(k) };
}

function watchable(metrics: readonly Metric[], ks: readonly number[]): WatchedMetric[] {
  return metrics.flatMap((metric): WatchedMetric[] => {
    const cut = ks.map((k) => ({ metric, k }));
    if (metric === 'recall') return cut;
    return metric === 'dcg' ? [...cut, { metric, k: null }] : [{ metric, k: null }];
  });
}

function metricName({ metric, k }: WatchedMetric): string {
  return k === null ? metric : `${metric}@${k}`;
}
