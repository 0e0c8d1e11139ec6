import { Type } from 'typebox';
import { COUNT_WEIGHTED, LEADING, type LookedUp } from '../../../estimators/names.js';
import { ITEM_SCHEMAS } from '../../../features/schemas.js';
import { Num } from '../../../rows/row.js';
import { ByName, EventTime } from './number.js';

const weights = [LEADING, ...COUNT_WEIGHTED].map((name) => [name, Num()]);
const Weights = Type.Object(
  Object.fromEntries(weights) as Record<LookedUp, ReturnType<typeof Num>>,
);

export const ItemAnswer = Type.Object({
  paneEnd: EventTime('End of the newest pane'),
  item: Type.String(),
  count: Type.Number({
    description:
      'Interactions within popularity.horizon that count towards popularity: the n of the propensities',
  }),
  interactions: Type.Number({
    description: 'All interactions within popularity.horizon, positive or not',
  }),
  rank: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Rank of the item by count; 1: most popular',
  }),
  exposures: ByName(Type.Number()),
  propensity: Type.Object({
    gamma: Type.Number(),
    beta: Type.Number(),
    unnormalized: Num('n^β'),
    relative: Num('(n / n of the most popular item)^β'),
  }),
  weights: Weights,
  stratum: Type.Integer(),
  strata: Type.Integer(),
  ...ITEM_SCHEMAS,
});

export const UserAnswer = Type.Object({
  paneEnd: EventTime('End of the newest pane'),
  user: Type.String(),
  partition: Type.Integer(),
  count: Type.Number({
    description: 'All interactions within popularity.horizon, positive or not',
  }),
  randomized: Type.Number({
    description: 'Number of these interactions that are from randomised traffic',
  }),
  propensity: Type.Number({ description: 'The user’s share of all interactions' }),
  weights: Weights,
  stratum: Type.Null({ description: 'Always null: strata group items, not users' }),
});
