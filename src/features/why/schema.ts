import { type Static, Type } from 'typebox';
import { LEADING } from '../../estimators/names.js';
import { EventTime } from '../../outputs/http/schema/number.js';
import { CutoffText } from '../../outputs/http/schema/query.js';
import {
  AggregationName,
  Cutoff,
  EstimatorName,
  MetricName,
} from '../../outputs/json/v1-schema.js';
import { Num, type Wire } from '../../rows/row.js';
import { USER_GROUPINGS } from './user-groups.js';

const ModelName = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 512,
    description,
  });

export const GapQuery = Type.Object(
  {
    window: Type.Optional(Type.String({ description: 'Name of the window; default: the first' })),
    model: ModelName('Model'),
    metric: MetricName,
    k: Type.Optional(CutoffText),
    estimator: Type.Optional(
      Type.Enum([...EstimatorName.enum], {
        default: LEADING,
        description: 'Estimator of the corrected number',
      }),
    ),
    aggregation: Type.Optional(Type.Enum([...AggregationName.enum], { default: 'pooled' })),
    against: Type.Optional(
      ModelName(
        'A second model, for the gap between the two; default: the gap between uncorrected and corrected',
      ),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 10,
        description: 'Number of items to name',
      }),
    ),
  },
  { additionalProperties: false },
);
export type GapQuery = Static<typeof GapQuery>;

const Pair = <T extends Type.TSchema>(of: T, description: string) =>
  Type.Array(of, {
    minItems: 2,
    maxItems: 2,
    description,
  });

const Part = {
  contribution: Num('Contribution to the gap'),
  parts: Pair(Num(), 'Contribution to the first number, and to the second'),
};

const Gap = Type.Object({
  paneEnd: EventTime('End of the pane'),
  numbers: Pair(
    Type.Object({
      model: Type.String(),
      estimator: EstimatorName,
      metric: MetricName,
      k: Cutoff,
      aggregation: AggregationName,
    }),
    'The first number, and the one subtracted from it',
  ),
  values: Pair(Num(), 'Values of the two numbers'),
  gap: Num('First value minus the second; the contributions sum to it'),
  items: Type.Array(
    Type.Object({
      item: Type.String(),
      ...Part,
      hits: Pair(Type.Number(), 'Number of rows with a gain, for the first number and the second'),
      count: Type.Number({ description: 'Count n that propensities are computed from' }),
      weight: Num('n^−β'),
    }),
    { description: 'Items with the largest contributions, in either direction' },
  ),
  rest: Type.Object(
    {
      items: Type.Integer(),
      ...Part,
    },
    { description: 'All other items with a gain, together' },
  ),
  groups: Type.Array(
    Type.Object({
      by: Type.Enum([...USER_GROUPINGS], {
        description:
          'activity: interactions over the horizon; taste: share of interactions with popular items',
      }),
      groups: Type.Array(
        Type.Object({
          from: Type.Number(),
          to: Num('Upper end of the group, exclusive; also null for the last group'),
          users: Pair(
            Type.Number(),
            'Number of users with a weight above 0, for the first number and the second',
          ),
          ...Part,
        }),
      ),
    }),
  ),
});
export type GapAnswer = Wire<Static<typeof Gap>>;

const NoGap = Type.Object({ reason: Type.String({ description: 'Why there is no answer' }) });
/** A gap, or the reason why there is none. A missing gap is a valid answer, not an error. */
export const GapOrReason = Type.Union([Gap, NoGap]);
export type GapOrReason = Wire<Static<typeof GapOrReason>>;

/** Positions of an item in the models' lists. */
export const ItemLists = Type.Union(
  [
    Type.Object({
      window: Type.String(),
      models: Type.Array(
        Type.Object({
          model: Type.String(),
          rows: Type.Integer({ description: 'Interactions of users who had a list of the model' }),
          listed: Type.Integer({
            description: 'Those of the interactions whose list contained the item',
          }),
          bestRank: Type.Union([Type.Integer(), Type.Null()], { description: 'Best rank, from 1' }),
          medianRank: Type.Union([Type.Integer(), Type.Null()], {
            description: 'Median rank, from 1',
          }),
        }),
      ),
    }),
    Type.Null(),
  ],
  { description: 'Over the positive interactions of a window; null if its rows are not kept' },
);
export type ItemLists = Wire<Static<typeof ItemLists>>;
