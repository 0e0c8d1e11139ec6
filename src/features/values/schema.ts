import { Type } from 'typebox';
import { SampleRatio, V1Value, V1ValueDifference } from '../../outputs/json/v1-schema.js';
import { LEADING_NUMBERS } from '../../rows/leading-numbers.js';

/** What lists are worth by requests, in a window. */
export const VALUES = Type.Optional(Type.Array(V1Value));

/** What is said of these values beside. */
export const VALUES_COMPARED = {
  valueDifferences: Type.Optional(Type.Array(V1ValueDifference)),
  sampleRatio: Type.Optional(SampleRatio),
  controlAway: Type.Optional(
    Type.String({
      description: 'The model to compare values with, if no request has a list of it',
    }),
  ),
  leads: Type.Optional(
    Type.Enum([...LEADING_NUMBERS], {
      description: 'Which numbers to look at first; only if causes are followed',
    }),
  ),
};
