import type { SeriesKind } from '../outputs/history/series.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import type { Mark as Happening } from '../outputs/http/schema/mark.js';
import type { Mark } from './charts/mark.js';
import type { SeriesTable } from './charts/series-table.js';
import type { Choice } from './choice.js';
import { MOST_LINES, orderedModels } from './model-order.js';
import type { ShownState } from './shown-states.js';

/** Data for panels. */
export interface View {
  readonly tick: LiveTick;
  readonly choice: Choice;
  /** The corrected estimator that is shown. */
  readonly estimator: string;
  readonly tables: Tables;
  /** Alarms of the last day, newest first. */
  readonly alarms: LiveTick['alarms'];
  /** External events known to the service. */
  readonly happenings: readonly Happening[];
  /** Alarms and happenings on the time axes. */
  readonly marks: readonly Mark[];
  /** Changes of γ's source, at which series that depend on γ may jump. */
  readonly sourceMarks: readonly Mark[];
  /** Current states, the most urgent first. */
  readonly states: readonly ShownState[];
  /** Remaining backlog and its duration; undefined if there is none. */
  readonly wait: string | undefined;
  /** Name of the environment, if configured. */
  readonly environment: string | undefined;
  /** Start of the time axes, ms. */
  readonly since: number;
  /** End of the time axes, ms; +∞ for now. */
  readonly until: number;
  /** Change the reader's choices. */
  choose(changed: Partial<Choice>): void;
}

export type Tables = Readonly<Record<SeriesKind, SeriesTable>>;

/** Models shown: the chosen one, or all that are not hidden, in order. */
export function shownModels({ tick, choice, estimator }: View): readonly string[] {
  if (tick.models.includes(choice.model)) return [choice.model];
  return orderedModels(tick, choice, estimator);
}

/** Models shown, followed by the built-in model if none is chosen. */
export function withBaseline(view: View): readonly string[] {
  const { baseline } = view.tick;
  const isAlone = baseline === null || view.choice.model !== '';
  return isAlone ? shownModels(view) : [...shownModels(view), baseline];
}

/** Models with lines in charts. */
export function drawnModels(view: View): readonly string[] {
  return shownModels(view).slice(0, MOST_LINES);
}

/** Index of a model's colour; −1 if the stream has no such model. */
export function colourOf({ tick }: View, model: string): number {
  return tick.models.indexOf(model);
}

/** The part of a table's times in the chosen span, with a function that cuts its columns to it. */
export function shownPart(view: View, table: SeriesTable) {
  const found = table.times.findIndex((time) => time >= view.since);
  const first = found < 0 ? table.times.length : found;
  const beyond = table.times.findIndex((time) => time > view.until);
  const end = beyond < 0 ? table.times.length : Math.max(first, beyond);
  return {
    times: table.times.slice(first, end),
    column: (labels: Readonly<Record<string, string | number | null>>, value: string) =>
      table.column(labels, value).slice(first, end),
  };
}
