import { type Static, Type } from 'typebox';
import { Num, type Wire } from '../../../rows/row.js';
import { EventTime } from './number.js';

export const SeriesReport = Type.Object({
  from: EventTime('Start of the period, exclusive'),
  to: EventTime('End of the period, inclusive'),
  step: Type.Number({
    description: 'Length of a step, ms; each step has the values of its last tick',
  }),
  times: Type.Array(Type.Number(), { description: 'Ends of panes in ascending order, ms' }),
  backfilled: Type.Array(Type.Number(), {
    description: 'Times whose values `unskew backfill` computed from rows',
  }),
  series: Type.Array(
    Type.Object({
      labels: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])),
      values: Type.Record(Type.String(), Type.Array(Num()), {
        description: 'Values by name, one for each entry of `times`; null: no value',
      }),
    }),
  ),
});
export type SeriesReport = Wire<Static<typeof SeriesReport>>;
