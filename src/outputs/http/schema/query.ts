import { type Static, type TObject, Type } from 'typebox';
import { RATING_METRICS } from '../../../estimators/metrics/rating-metrics.js';
import { METRICS } from '../../../estimators/metrics/registry.js';
import { AGGREGATIONS, ON_POLICY } from '../../../estimators/names.js';
import { ESTIMATORS } from '../../../estimators/rules/registry.js';
import { FEATURE_ESTIMATORS } from '../../../features/names.js';
import type { Wire } from '../../../rows/row.js';
import type { Snapshot, WindowSnapshot } from '../../../stream/tick/snapshot.js';
import { AggregationName, Cutoff, EstimatorName, MetricName } from '../../json/v1-schema.js';

const Label = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description,
    }),
  );

/** Latest valid time, ms since the epoch. */
const MAX_TIME = 8_640_000_000_000_000;

const WholeMs = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_TIME,
      description,
    }),
  );

/** Cut-off k in a query; `none` selects numbers without a cut-off. */
export const CutoffText = Type.String({
  pattern: '^([1-9][0-9]{0,4}|none)$',
  description: 'Cut-off k of the metric; none: metrics without a cut-off',
});

/** Metric in a query: of estimates, or `value`, the reward per request. */
export const Metric = Type.Enum([...METRICS, ...RATING_METRICS, ON_POLICY.metric], {
  description: 'Metric; value: reward per request',
});
const Aggregation = Type.Enum([...AGGREGATIONS, ON_POLICY.aggregation], {
  description: 'Aggregation; request: only for reward per request',
});
const VALUED = 'on_policy and the estimators after it are for reward per request';

export const EstimateQuery = Type.Object(
  {
    window: Label('Only this window'),
    model: Label('Only this model'),
    metric: Type.Optional(Metric),
    k: Type.Optional(CutoffText),
    estimator: Type.Optional(
      Type.Enum([...ESTIMATORS, ...FEATURE_ESTIMATORS], { description: VALUED }),
    ),
    aggregation: Type.Optional(Aggregation),
  },
  { additionalProperties: false },
);
export type EstimateQuery = Static<typeof EstimateQuery>;

export const Period = {
  from: WholeMs('Start of the period in event time, ms, exclusive; default: start of the history'),
  to: WholeMs('End of the period in event time, ms, inclusive'),
  step: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_TIME,
      description: 'Length of a step, ms: only the last tick of each step is returned',
    }),
  ),
  points: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1500,
      default: 1500,
      description:
        'Approximate maximum number of times; fewer are returned for many series. A smaller `step` is widened to match',
    }),
  ),
  values: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]+(,[A-Za-z]+)*$',
      maxLength: 200,
      description: 'Names of the values to return for each series, e.g. value,lower',
    }),
  ),
};

export const EstimateHistoryQuery = Type.Object(
  {
    ...Period,
    ...EstimateQuery.properties,
    estimator: Type.Optional(
      Type.Enum([...ESTIMATORS, 'truth', ...FEATURE_ESTIMATORS], {
        description: `truth: true values of simulated traffic; ${VALUED}`,
      }),
    ),
  },
  { additionalProperties: false },
);
export type EstimateHistoryQuery = Static<typeof EstimateHistoryQuery>;

export const DifferenceHistoryQuery = Type.Object(
  {
    ...Period,
    ...EstimateQuery.properties,
    reference: Label('Return only differences to this model'),
  },
  { additionalProperties: false },
);
export type DifferenceHistoryQuery = Static<typeof DifferenceHistoryQuery>;

export const HistoryQuery = Type.Object(
  {
    ...Period,
    model: Label('Only this model'),
    window: Label('Only this window'),
    estimator: Type.Optional(EstimatorName),
    fit: Type.Optional(Type.Enum(['used', 'ols', 'poisson'])),
  },
  { additionalProperties: false },
);
export type HistoryQuery = Static<typeof HistoryQuery>;

export const StreamQuery = Type.Object(
  {
    window: Label('Window; default: the first'),
    metric: Type.Optional(MetricName),
    k: Type.Optional(CutoffText),
    aggregation: Type.Optional(AggregationName),
  },
  { additionalProperties: false },
);
export type StreamQuery = Static<typeof StreamQuery>;

export const PageQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: 50,
      }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  { additionalProperties: false },
);
export type PageQuery = Static<typeof PageQuery>;

/** Restrict the `window` of a query schema to the names of the configured windows. */
export function ofWindows<Query extends TObject>(query: Query, windows: readonly string[]) {
  const window = Type.Optional(Type.Enum([...windows], { description: 'Only this window' }));
  return Type.Object(
    {
      ...query.properties,
      window,
    },
    { additionalProperties: false },
  );
}

/** A metric with its cut-off k; null without a cut-off. */
export const MetricChoice = Type.Object({
  metric: MetricName,
  k: Cutoff,
});
export type MetricChoice = Wire<Static<typeof MetricChoice>>;

/**
 * Choose the metric that a query names, at its cut-off if possible; else the first metric of the
 * window. Without any metric in the window, return the queried name, or recall, without a cut-off.
 */
function chosenMetric(metrics: readonly MetricChoice[], { metric, k }: StreamQuery): MetricChoice {
  const cutoff = k === undefined ? undefined : cutoffOf(k);
  return (
    metrics.find((own) => own.metric === (metric ?? own.metric) && own.k === cutoff) ??
    metrics.find((own) => own.metric === metric) ??
    metrics[0] ?? {
      metric: metric ?? 'recall',
      k: null,
    }
  );
}

/**
 * Choose the metric and cut-off of the verdicts, so that all outputs show the same ones. Without a
 * verdict on a metric of the window, choose its first metric at the largest cut-off.
 */
function decisive(
  metrics: readonly MetricChoice[],
  { verdicts = [] }: Pick<Snapshot, 'verdicts'>,
): MetricChoice | undefined {
  const judged = metrics.find((own) =>
    verdicts.some(({ metric, k }) => metric === own.metric && k === own.k),
  );
  const first = metrics.filter(({ metric }) => metric === metrics[0]!.metric);
  return judged ?? first.sort((a, b) => (b.k ?? 0) - (a.k ?? 0))[0];
}

/** Convert a cut-off from a query to a number; `none` becomes null. */
export function cutoffOf(text: string): number | null {
  return text === 'none' ? null : Number(text);
}

/** Window, metric and aggregation of a tick in the event stream. */
export interface LiveChoice extends MetricChoice {
  readonly window: WindowSnapshot;
  readonly aggregation: 'user' | 'pooled';
  /** Key of the combination; readers with the same key get the same bytes. */
  readonly key: string;
}

/**
 * Choose window, metric and aggregation by a query. A window or metric that does not exist is
 * replaced by the first one. Undefined without a window.
 */
export function liveChoice(snapshot: Snapshot, query: StreamQuery): LiveChoice | undefined {
  const window = snapshot.windows.find(({ name }) => name === query.window) ?? snapshot.windows[0];
  if (window === undefined) return undefined;
  const metrics = metricsOf(window);
  const isAsked = query.metric !== undefined || query.k !== undefined;
  const { metric, k } =
    (isAsked ? undefined : decisive(metrics, snapshot)) ?? chosenMetric(metrics, query);
  const aggregation = query.aggregation ?? 'pooled';
  const key = JSON.stringify([window.name, metric, k, aggregation]);
  return {
    window,
    metric,
    k,
    aggregation,
    key,
  };
}

/**
 * Cache of the metrics of each window. Snapshots are immutable, so all readers share the result.
 */
const found = new WeakMap<WindowSnapshot, readonly MetricChoice[]>();

/** List the metrics, with cut-offs, that a window has estimates of. */
export function metricsOf(window: WindowSnapshot): readonly MetricChoice[] {
  const known = found.get(window);
  if (known !== undefined) return known;
  const metrics = new Map<string, MetricChoice>();
  for (const { metric, k } of window.results) {
    metrics.set(`${metric}@${k}`, { metric, k });
  }
  const list = [...metrics.values()];
  found.set(window, list);
  return list;
}
