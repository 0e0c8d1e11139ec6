import { type Static, Type } from 'typebox';
import { Alarm } from './alarm.js';
import {
  AggregationName,
  Cutoff,
  EstimatorName,
  MetricName,
  ModelSummary,
  SampleSize,
  ShortEstimate,
} from './estimate.js';
import { EventTime, MaybeNumber } from './number.js';
import { ConcentrationReport, LorenzReport } from './popularity.js';
import { PropensityFigures } from './propensity.js';
import { QualityReport } from './quality.js';
import { Sampling } from './snapshot.js';
import { WeightBin, WindowCounts } from './window.js';

/** What can be chosen, and what is. */
const MetricChoice = Type.Object({ metric: MetricName, k: Cutoff });
export type MetricChoice = Static<typeof MetricChoice>;

export const LiveTick = Type.Object(
  {
    paneEnd: EventTime('End of the pane that closed'),
    models: Type.Array(Type.String()),
    baseline: Type.Union([Type.String(), Type.Null()]),
    catalogueSize: Type.Number(),
    offered: Type.Object({
      windows: Type.Array(Type.String()),
      metrics: Type.Array(MetricChoice),
      estimators: Type.Array(EstimatorName),
      aggregations: Type.Array(AggregationName),
    }),
    chosen: Type.Object({
      window: Type.String(),
      metric: MetricName,
      k: Cutoff,
      aggregation: AggregationName,
    }),
    window: Type.Object({
      from: EventTime('Begin of the window'),
      to: EventTime('End of the window'),
      counts: WindowCounts,
      estimates: Type.Array(ShortEstimate),
      truth: Type.Array(Type.Object({ model: Type.String(), value: MaybeNumber() })),
      models: Type.Array(ModelSummary),
      effectiveSampleSizes: Type.Array(SampleSize),
      weightDistribution: Type.Array(WeightBin),
    }),
    sampling: Sampling,
    popularity: ConcentrationReport,
    lorenz: LorenzReport,
    propensity: PropensityFigures,
    quality: QualityReport,
    alarms: Type.Array(Alarm),
  },
  {
    description:
      'One tick of the stream: all that the page shows of a pane for one window, metric and aggregation',
  },
);
export type LiveTick = Static<typeof LiveTick>;
