import { type Static, Type } from 'typebox';
import type { Wire } from '../../../rows/row.js';
import { LONGEST_MARK_TEXT, MARK_KINDS } from '../../history/marks.js';

/**
 * Earliest valid time of a mark, ms: the year 2000. An earlier one was probably given in seconds.
 */
const FIRST_TIME = 946_684_800_000;
const LAST_TIME = 8_640_000_000_000_000;

const Kind = Type.Enum([...MARK_KINDS], { description: 'Kind of the event that is marked' });

/** Schema of a request that adds a mark to the time charts. */
export const MarkOrder = Type.Object(
  {
    time: Type.Optional(
      Type.Integer({
        minimum: FIRST_TIME,
        maximum: LAST_TIME,
        description: 'Time of the event, ms since the epoch; default: now',
      }),
    ),
    kind: Kind,
    text: Type.String({
      minLength: 1,
      maxLength: LONGEST_MARK_TEXT,
      // A single line that is not blank.
      pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
      description: 'One line of text, shown as is',
    }),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Model that changed; comparisons with it restart',
      }),
    ),
  },
  { additionalProperties: false },
);
export type MarkOrder = Static<typeof MarkOrder>;

export const Mark = Type.Object({
  id: Type.String(),
  time: Type.Number({ description: 'Time of the event, ms since the epoch' }),
  kind: Kind,
  text: Type.String(),
  model: Type.Optional(Type.String()),
});
export type Mark = Wire<Static<typeof Mark>>;

export const MarkList = Type.Object({
  marks: Type.Array(Mark, { description: 'Marks in order of time' }),
});
export type MarkList = Wire<Static<typeof MarkList>>;
