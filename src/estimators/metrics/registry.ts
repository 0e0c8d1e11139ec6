import { auc } from './auc.js';
import { map } from './average-precision.js';
import { dcg } from './dcg.js';
import type { ListMetric, MetricEntry, RankMetric, SetMetric } from './metric.js';
import { mrr } from './mrr.js';
import { ndcg } from './ndcg.js';
import { precision } from './precision.js';
import { recall } from './recall.js';

/**
 * Every metric, in the order that lists and messages use. Label values and JSON fields use these
 * names.
 */
const ENTRIES = {
  recall,
  dcg,
  mrr,
  auc,
  precision,
  ndcg,
  map,
} as const satisfies Readonly<Record<string, MetricEntry>>;

export type Metric = keyof typeof ENTRIES;

export const METRICS = Object.keys(ENTRIES) as Metric[];

/** Metrics with a form at each cut-off. */
export const CUT_METRICS = METRICS.filter((name) => {
  const entry = metricOf(name);
  return entry.kind === 'set' || (entry.kind === 'rank' && entry.isCut);
});

/**
 * Metrics that are means of gains of single items, not set metrics; every estimator supports them.
 */
export const ADDITIVE_METRICS = METRICS.filter((name) => ENTRIES[name].kind !== 'set');

/** Metrics that are computed by default. */
export const DEFAULT_METRICS = METRICS.filter((name) => ENTRIES[name].isDefault);

export function metricOf(name: Metric): MetricEntry {
  return ENTRIES[name];
}

type Named<Entry> = readonly [name: Metric, entry: Entry];

/** Select the rank metrics among the names, in their order. */
export function byRank(names: readonly Metric[]): Named<RankMetric>[] {
  return ofKind('rank', names);
}

/** Select the list metrics among the names, in their order. */
export function byList(names: readonly Metric[]): Named<ListMetric>[] {
  return ofKind('list', names);
}

/** Select the set metrics among the names, in the order of the registry. */
export function ofSets(names: readonly Metric[]): Named<SetMetric>[] {
  return ofKind(
    'set',
    METRICS.filter((name) => names.includes(name)),
  );
}

function ofKind<Kind extends MetricEntry['kind']>(
  kind: Kind,
  names: readonly Metric[],
): Named<Extract<MetricEntry, { kind: Kind }>>[] {
  return [...new Set(names)].flatMap((name) => {
    const entry: MetricEntry = ENTRIES[name];
    return entry.kind === kind
      ? [[name, entry as Extract<MetricEntry, { kind: Kind }>] as const]
      : [];
  });
}
