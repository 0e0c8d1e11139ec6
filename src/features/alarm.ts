import { type Static, Type } from 'typebox';
import { EventTime } from '../outputs/http/schema/number.js';
import { type Memory, Num } from '../rows/row.js';

/**
 * A change in a monitored series (such as one estimate of one model) that a detector considers
 * real. The threshold accounts for the number of series that are monitored together. `level` is the
 * value of the series before and after; for the distribution of interactions over items, it is the
 * share of popular items.
 */
export const Alarm = Type.Object({
  series: Type.String({ description: 'Name of the series that changed' }),
  detector: Type.String(),
  since: EventTime('Pane in which the change is estimated to have begun'),
  at: EventTime('End of the pane in which the detector fired'),
  score: Num(),
  threshold: Num(),
  // Also null in memory, not NaN, if the size is unknown.
  size: Type.Union([Type.Number(), Type.Null()], {
    description: 'Standardised size of the change; null: unknown',
  }),
  level: Type.Optional(
    Type.Object(
      {
        before: Num(),
        now: Num(),
      },
      { description: 'Level of the series before and after the change, in the unit of the series' },
    ),
  ),
  suppressed: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the alarm should not be acted on; null: it should',
  }),
  models: Type.Array(Type.String()),
  topItems: Type.Array(
    Type.Object({
      item: Type.String(),
      share: Num(),
      before: Num(),
    }),
  ),
});
export type Alarm = Memory<Static<typeof Alarm>>;

/** A notice for display that is not an alarm. */
export const Notice = Type.Object({
  kind: Type.Literal('new_model'),
  model: Type.String(),
  since: EventTime('Pane in which the model sent its first lists'),
  at: EventTime('End of that pane'),
});
export type Notice = Memory<Static<typeof Notice>>;
