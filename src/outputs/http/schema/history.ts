import { type Static, Type } from 'typebox';
import { Num, type Wire } from '../../../rows/row.js';
import { EventTime } from './number.js';

export const SeriesReport = Type.Object({
  from: EventTime('Begin, exclusive'),
  to: EventTime('End, inclusive'),
  step: Type.Number({ description: 'ms; the last tick of each step is given' }),
  times: Type.Array(Type.Number(), { description: 'Ends of panes, ascending' }),
  backfilled: Type.Array(Type.Number(), {
    description: 'The times that `unskew backfill` computed later from rows',
  }),
  series: Type.Array(
    Type.Object({
      labels: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])),
      values: Type.Record(Type.String(), Type.Array(Num()), {
        description: 'Values by name, one for each time; null: none',
      }),
    }),
  ),
});
export type SeriesReport = Wire<Static<typeof SeriesReport>>;
