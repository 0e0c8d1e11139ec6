import type { SeriesKind } from '../outputs/history/series.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import type { Mark as Happening } from '../outputs/http/schema/mark.js';
import type { Mark } from './charts/mark.js';
import type { SeriesTable } from './charts/series-table.js';
import type { Choice } from './choice.js';
import { MOST_LINES, orderedModels } from './model-order.js';
import type { ShownState } from './shown-states.js';

/** Everything that panels show: newest tick, histories, states, and the reader's choices. */
export interface View {
  readonly tick: LiveTick;
  readonly choice: Choice;
  /** Name of the corrected estimator that is shown. */
  readonly estimator: string;
  readonly tables: Tables;
  /** Alarms of the last day, newest first. */
  readonly alarms: LiveTick['alarms'];
  /** Marks stored in the service: deployments, changes of settings, notes. */
  readonly happenings: readonly Happening[];
  /** Alarms and stored marks, to be drawn on the time axes. */
  readonly marks: readonly Mark[];
  /** Times at which the source of γ changed. Series that depend on γ may jump at these times. */
  readonly sourceMarks: readonly Mark[];
  /** Current states, the most urgent first. */
  readonly states: readonly ShownState[];
  /** Size of the backlog and time to read it, in words; undefined without a backlog. */
  readonly wait: string | undefined;
  /** Name of the environment; undefined if none is configured. */
  readonly environment: string | undefined;
  /** Start of the time axes, ms. */
  readonly since: number;
  /** End of the time axes, ms; +∞ if they end now. */
  readonly until: number;
  /** Apply new choices of the reader. */
  choose(changed: Partial<Choice>): void;
}

export type Tables = Readonly<Record<SeriesKind, SeriesTable>>;

/** Models to show: the chosen one, or all that are not hidden, in order. */
export function shownModels({ tick, choice, estimator }: View): readonly string[] {
  if (tick.models.includes(choice.model)) return [choice.model];
  return orderedModels(tick, choice, estimator);
}

/** Models to show, followed by the built-in baseline unless a single model is chosen. */
export function withBaseline(view: View): readonly string[] {
  const { baseline } = view.tick;
  const isAlone = baseline === null || view.choice.model !== '';
  return isAlone ? shownModels(view) : [...shownModels(view), baseline];
}

/** Models that have lines in charts: the first ones to show. */
export function drawnModels(view: View): readonly string[] {
  return shownModels(view).slice(0, MOST_LINES);
}

/** Index of a model's colour; −1 if the newest tick does not have the model. */
export function colourOf({ tick }: View, model: string): number {
  return tick.models.indexOf(model);
}

/**
 * Find the times of a table that are on the time axes, and create a function that cuts columns to
 * them.
 */
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
