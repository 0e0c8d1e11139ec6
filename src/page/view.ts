import type { SeriesKind } from '../outputs/history/series.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import type { Mark as Happening } from '../outputs/http/schema/mark.js';
import type { Mark } from './charts/mark.js';
import type { SeriesTable } from './charts/series-table.js';
import type { Choice } from './choice.js';
import { MOST_LINES, orderedModels } from './model-order.js';
import type { ShownState } from './shown-states.js';

/** Everything that a panel may show. */
export interface View {
  readonly tick: LiveTick;
  readonly choice: Choice;
  /** The estimator that uncorrected values are compared with. */
  readonly estimator: string;
  readonly tables: Tables;
  /** Of the last day, newest first. */
  readonly alarms: LiveTick['alarms'];
  /** What happened beside the numbers, as far as the service knows it. */
  readonly happenings: readonly Happening[];
  /** Alarms and happenings on the time axes. */
  readonly marks: readonly Mark[];
  /** Where γ began to come from elsewhere: what rests on γ may have jumped there. */
  readonly sourceMarks: readonly Mark[];
  /** The states that hold, the most urgent first. */
  readonly states: readonly ShownState[];
  /** What is still read of the past, and how long it takes; undefined where nothing is. */
  readonly wait: string | undefined;
  /** Name of what is measured, if it has one. */
  readonly environment: string | undefined;
  /** Where the time axes begin, ms. */
  readonly since: number;
  /** Where they end, ms; +∞ for now. */
  readonly until: number;
  /** Takes another choice. */
  choose(changed: Partial<Choice>): void;
}

export type Tables = Readonly<Record<SeriesKind, SeriesTable>>;

/** Models that are looked at: the chosen one, or all that are not hidden, in their order. */
export function shownModels({ tick, choice, estimator }: View): readonly string[] {
  if (tick.models.includes(choice.model)) return [choice.model];
  return orderedModels(tick, choice, estimator);
}

/** The built-in model behind them, where none is chosen. */
export function withBaseline(view: View): readonly string[] {
  const { baseline } = view.tick;
  const isAlone = baseline === null || view.choice.model !== '';
  return isAlone ? shownModels(view) : [...shownModels(view), baseline];
}

/** Those of them that a chart has lines of. */
export function drawnModels(view: View): readonly string[] {
  return shownModels(view).slice(0, MOST_LINES);
}

/** Index of a model's colour; −1 if the stream has no such model. */
export function colourOf({ tick }: View, model: string): number {
  return tick.models.indexOf(model);
}

/** The part of a table's times that lies in the chosen span, and how to cut its columns to it. */
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
