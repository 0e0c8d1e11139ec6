import { type Static, Type } from 'typebox';
import { EventTime } from '../../outputs/http/schema/number.js';
import type { Wire } from '../../rows/row.js';
import { Num } from '../../rows/row.js';

export const Alarm = Type.Object({
  series: Type.String({ description: 'What changed' }),
  detector: Type.String(),
  since: EventTime('Pane where the change is estimated to have begun'),
  at: EventTime('End of the pane where it fired'),
  score: Num(),
  threshold: Num(),
  size: Num('Standardised size of the change'),
  level: Type.Optional(
    Type.Object(
      { before: Num(), now: Num() },
      { description: 'The series before the change and since, in its own units' },
    ),
  ),
  suppressed: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it alerts nobody',
  }),
  models: Type.Array(Type.String()),
  topItems: Type.Array(Type.Object({ item: Type.String(), share: Num(), before: Num() })),
});
export type Alarm = Wire<Static<typeof Alarm>>;

export const Notice = Type.Object({
  kind: Type.Literal('new_model'),
  model: Type.String(),
  since: EventTime('Pane of its first lists'),
  at: EventTime('End of that pane'),
});
export type Notice = Wire<Static<typeof Notice>>;

export const AlarmPage = Type.Object({
  alarms: Type.Array(Alarm, { description: 'Newest first' }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of the next page; null on the last',
  }),
});
export type AlarmPage = Wire<Static<typeof AlarmPage>>;
