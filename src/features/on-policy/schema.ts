import { Type } from 'typebox';
import { V1OnPolicy } from '../../outputs/json/v1-schema.js';

/** JSON schema of the reward per served list. */
export const OnPolicyReport = Type.Object(
  {
    refused: Type.Union([Type.Enum(['exposures_not_named']), Type.Null()]),
    values: Type.Array(V1OnPolicy),
    named: Type.Number({ description: 'Interactions with a list’s id' }),
    elsewhere: Type.Number({
      description: 'Those of the interactions whose list is unknown or does not contain the item',
    }),
  },
  { description: 'Reward per served list; only if estimates.feedback is not ignore' },
);
