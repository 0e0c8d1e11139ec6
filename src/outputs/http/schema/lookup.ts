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
    description: 'Count n that propensities are computed from, over the horizon',
  }),
  interactions: Type.Number({ description: 'Interactions of any value, over the horizon' }),
  rank: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Rank by count; 1: most popular',
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
  count: Type.Number({ description: 'Interactions of any value, over the horizon' }),
  randomized: Type.Number({ description: 'Interactions from randomised traffic among them' }),
  propensity: Type.Number({ description: 'Share of all interactions' }),
  weights: Weights,
  stratum: Type.Null({ description: 'Strata divide items, not users' }),
});
