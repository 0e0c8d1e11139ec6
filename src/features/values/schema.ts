import { Type } from 'typebox';
import { SampleRatio, V1Value, V1ValueDifference } from '../../outputs/json/v1-schema.js';

/** Reward per request, in a window. */
export const VALUES = Type.Optional(Type.Array(V1Value));

export const VALUE_DIFFERENCES = Type.Optional(Type.Array(V1ValueDifference));

/** Schema of what is reported with values: the test of the split, and a missing control. */
export const VALUES_TESTED = {
  sampleRatio: Type.Optional(SampleRatio),
  controlAway: Type.Optional(
    Type.String({
      description: 'Model to compare values with; only if no request has its list',
    }),
  ),
};
