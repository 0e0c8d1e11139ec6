import { type Static, Type } from 'typebox';
import { EventTime } from '../../outputs/http/schema/number.js';
import { CutoffText } from '../../outputs/http/schema/query.js';
import {
  AggregationName,
  Cutoff,
  EstimatorName,
  MetricName,
} from '../../outputs/json/v1-schema.js';
import { Num, type Wire } from '../../rows/row.js';
import { SEGMENT_KINDS } from './segment-rows.js';

const Text = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description,
    }),
  );

export const SegmentQuery = Type.Object(
  {
    window: Text('Name of the window; default: all'),
    dimension: Text('Name of the dimension; default: all'),
    model: Text('Name of the model; default: all'),
    metric: Type.Optional(
      Type.Enum(MetricName.enum, { description: 'Metric; default: the first' }),
    ),
    k: Type.Optional(CutoffText),
    estimator: Type.Optional(EstimatorName),
    aggregation: Type.Optional(AggregationName),
  },
  { additionalProperties: false },
);
export type SegmentQuery = Static<typeof SegmentQuery>;

const Shrunken = Type.Union(
  [
    Type.Object({
      value: Type.Number(),
      lower: Type.Number(),
      upper: Type.Number(),
      shrinkage: Type.Number({
        description: 'Fraction of the distance to the mean by which the value was shrunk, 0 to 1',
      }),
    }),
    Type.Null(),
  ],
  {
    description:
      'Value shrunk towards the mean of the dimension; null if the segment is hidden or the dimension has fewer than six segments',
  },
);

const Gap = Type.Union(
  [
    Type.Object({
      reference: Type.String(),
      value: Type.Number(),
      stdErr: Type.Number(),
      p: Type.Number({ description: 'Two-sided p-value' }),
      isFound: Type.Boolean({
        description:
          'Whether the difference is significant, at a false discovery rate of 5 % over segments and models',
      }),
    }),
    Type.Null(),
  ],
  { description: 'Difference from the reference model; null if not tested' },
);

const SegmentRow = Type.Object({
  dimension: Type.String(),
  kind: Type.Enum([...SEGMENT_KINDS], {
    description:
      'value: one value; missing: events without a value; other: all values that are not shown',
  }),
  value: Type.Union([Type.String(), Type.Null()]),
  model: Type.String(),
  metric: MetricName,
  k: Cutoff,
  estimator: EstimatorName,
  aggregation: AggregationName,
  rows: Type.Number({ description: 'Number of positive interactions' }),
  share: Type.Number({ description: 'Share of the weight; the shares of a dimension add up to 1' }),
  contribution: Num('Contribution to the estimate over all rows'),
  users: Type.Number({ description: 'Users with a weight above 0' }),
  ess: Type.Number({ description: 'Effective number of users' }),
  isHidden: Type.Boolean({
    description: 'Whether the segment is hidden, because it has too few effective users',
  }),
  estimate: Num(),
  stdErr: Num('Standard error, clustered by user'),
  lower: Num('Lower end of the 95 % interval'),
  upper: Num('Upper end of the 95 % interval'),
  shrunken: Shrunken,
  difference: Gap,
});

export const SegmentsReport = Type.Object({
  paneEnd: EventTime('End of the pane'),
  windows: Type.Array(
    Type.Object({
      name: Type.String(),
      dimensions: Type.Array(
        Type.Object({
          name: Type.String(),
          otherValues: Type.Number({ description: 'Number of values grouped as `other`' }),
        }),
      ),
      minUsers: Type.Number({ description: 'Effective users below which a value is hidden' }),
      results: Type.Array(SegmentRow),
    }),
  ),
});
export type SegmentsReport = Wire<Static<typeof SegmentsReport>>;
