import { type Static, Type } from 'typebox';
import { Num, type Wire } from '../../../rows/row.js';
import { EventTime } from './number.js';

export const SeriesReport = Type.Object({
  from: EventTime('Begin, exclusive'),
  to: EventTime('End, inclusive'),
  step: Type.Number({ description: 'ms; of each step the last tick is given' }),
  times: Type.Array(Type.Number(), { description: 'Ends of panes, ascending' }),
  backfilled: Type.Array(Type.Number(), {
    description: 'Those of the times that `unskew backfill` computed of rows when they were past',
  }),
  series: Type.Array(
    Type.Object({
      labels: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])),
      values: Type.Record(Type.String(), Type.Array(Num()), {
        description: 'By name, one for each of the times; null: none',
      }),
    }),
  ),
});
export type SeriesReport = Wire<Static<typeof SeriesReport>>;
