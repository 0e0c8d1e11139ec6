import { Type } from 'typebox';
import { Alarm } from '../alarm.js';

/** A page of alarms, as the API returns it. */
export const AlarmPage = Type.Object({
  alarms: Type.Array(Alarm, { description: 'Newest first' }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of the next page; null on the last page',
  }),
});
