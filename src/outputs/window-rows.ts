import { differencesOf, rowsOf } from '../features/output.js';
import { OUTPUTS } from '../features/outputs.js';
import type { ShownDifference, ShownRow } from '../rows/row.js';
import type { WindowReports } from '../stream/feature-types.js';
import { rowFromV1, type V1Row } from './json/v1-row.js';

/** The row lists of a window, or of what was sent of it. */
export interface HasRows {
  readonly results: readonly ShownRow[];
  readonly feedback?: { readonly uncaused: { readonly results: readonly ShownRow[] } | null };
}

export interface HasDifferences {
  readonly differences?: readonly ShownDifference[];
}

type Reports = { readonly [Name in keyof WindowReports]?: unknown };

/** Every row of a window, of whatever family; by segment they stand in columns, see `segmentRows`. */
export function windowRows(window: HasRows & Reports): readonly ShownRow[] {
  const { results, feedback } = window;
  return [...results, ...(feedback?.uncaused?.results ?? []), ...rowsOf(OUTPUTS, window)];
}

/** Every difference of a window but those of what users found by themselves. */
export function windowDifferences(window: HasDifferences & Reports): readonly ShownDifference[] {
  return [...(window.differences ?? []), ...differencesOf(OUTPUTS, window)];
}

/** The lists of rows that the stream sends of a window. */
export interface V1Window {
  readonly estimates: readonly V1Row[];
  readonly uncaused?: readonly V1Row[];
}

/** Its rows, where a window has them. */
export function listsFromV1({ estimates, uncaused = [] }: V1Window): HasRows {
  const rows = (family: string, sent: readonly V1Row[]) =>
    sent.map((row) => rowFromV1<V1Row>(row, family));
  return {
    results: rows('estimates', estimates),
    feedback: { uncaused: { results: rows('uncaused', uncaused) } },
  };
}
