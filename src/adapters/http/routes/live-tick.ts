import type { Snapshot, WindowSnapshot } from '../../../stream/snapshot.js';
import type { DeepReadonly } from '../deep-readonly.js';
import type { LiveTick, MetricChoice } from '../schema/live-tick.js';
import type { QualityReport } from '../schema/quality.js';
import type { StreamQuery } from '../schema/query.js';

/**
 * What the page shows of a pane, for one window, metric and aggregation. What is asked for and not
 * there is taken from the beginning of what is; `chosen` says so. Undefined without a window.
 */
export function liveTick(
  snapshot: Snapshot,
  quality: QualityReport,
  query: StreamQuery,
): DeepReadonly<LiveTick> | undefined {
  const window = snapshot.windows.find(({ name }) => name === query.window) ?? snapshot.windows[0];
  if (window === undefined) return undefined;
  const metrics = metricsOf(window);
  const { metric, k } = chosenMetric(metrics, query);
  const aggregation = query.aggregation ?? 'pooled';
  const isChosen = (row: { metric: string; k: number | null; aggregation: string }) =>
    row.metric === metric && row.k === k && row.aggregation === aggregation;
  return {
    paneEnd: snapshot.paneEnd,
    models: snapshot.models,
    baseline: snapshot.baseline,
    catalogueSize: snapshot.catalogueSize,
    offered: {
      windows: snapshot.windows.map(({ name }) => name),
      metrics,
      estimators: [...new Set(window.results.map(({ estimator }) => estimator))],
      aggregations: [...new Set(window.results.map((row) => row.aggregation))],
    },
    chosen: { window: window.name, metric, k, aggregation },
    window: {
      from: window.from,
      to: window.to,
      counts: window.counts,
      estimates: window.results.filter(isChosen).map(short),
      truth: (snapshot.truth ?? []).filter(isChosen).map(({ model, value }) => ({ model, value })),
      models: window.models,
      effectiveSampleSizes: window.effectiveSampleSizes,
      weightDistribution: window.weightDistribution,
    },
    sampling: snapshot.sampling,
    popularity: snapshot.popularity,
    lorenz: mapLorenz(snapshot.lorenz),
    propensity: snapshot.propensity,
    quality,
    alarms: snapshot.alarms ?? [],
  };
}

function short({
  model,
  estimator,
  value,
  stdErr,
  lower,
  upper,
  ess,
}: WindowSnapshot['results'][number]) {
  return { model, estimator, value, stdErr, lower, upper, ess };
}

function metricsOf({ results }: WindowSnapshot): MetricChoice[] {
  const found = new Map<string, MetricChoice>();
  for (const { metric, k } of results) found.set(`${metric}@${k}`, { metric, k });
  return [...found.values()];
}

function chosenMetric(metrics: readonly MetricChoice[], { metric, k }: StreamQuery): MetricChoice {
  const cutoff = k === undefined ? undefined : cutoffOf(k);
  return (
    metrics.find((own) => own.metric === (metric ?? own.metric) && own.k === cutoff) ??
    metrics.find((own) => own.metric === metric) ??
    metrics[0] ?? { metric: metric ?? 'recall', k: cutoff ?? null }
  );
}

export function cutoffOf(text: string): number | null {
  return text === 'none' ? null : Number(text);
}

/** Curves are drawn, not computed with: four digits do. */
function mapLorenz({ interactions, exposures }: Snapshot['lorenz']): Snapshot['lorenz'] {
  const rounded = (curve: readonly number[]) => curve.map((share) => Math.round(share * 1e4) / 1e4);
  const byModel: Record<string, readonly number[]> = Object.create(null);
  for (const [model, curve] of Object.entries(exposures)) byModel[model] = rounded(curve);
  return { interactions: rounded(interactions), exposures: byModel };
}
