import type { LevelShift } from './level-shift.js';

/** A change in a monitored series that a detector holds to be real. */
export interface Alarm {
  /** Name of the series, e.g. `estimate/snips/recall@10/blend`. */
  readonly series: string;
  readonly detector: string;
  /** Event time, ms: start of the pane where the change is estimated to have begun. */
  readonly since: number;
  /** Event time, ms: end of the pane where it fired. */
  readonly at: number;
  readonly score: number;
  /** The score that fires, allowing for the number of series that are watched together. */
  readonly threshold: number;
  /** Standardised change, in standard deviations of a pane; null where there is no such scale. */
  readonly size: number | null;
  /**
   * The series before the change and since, in its own units: of how interactions spread over items
   * the share of the popular ones. Not given where it has no such level, or where it is not known.
   */
  readonly level?: LevelShift;
  /** Why no one should be woken; null where nothing speaks against it. */
  readonly suppressed: string | null;
  readonly models: readonly string[];
  readonly topItems: readonly AlarmItem[];
}

/** An item behind an alarm: its share since the change and before it. */
export interface AlarmItem {
  readonly item: string;
  readonly share: number;
  readonly before: number;
}
