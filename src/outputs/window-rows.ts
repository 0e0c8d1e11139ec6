import { differencesOf, rowsOf } from '../features/output.js';
import { OUTPUTS } from '../features/outputs.js';
import type { ShownDifference, ShownRow } from '../rows/row.js';
import type { WindowReports } from '../stream/feature-types.js';
import { rowFromV1, type V1Row } from './json/v1-row.js';

/** The row lists of a window, in memory or from JSON. */
export interface HasRows {
  readonly results: readonly ShownRow[];
  readonly feedback?: { readonly uncaused: { readonly results: readonly ShownRow[] } | null };
}

export interface HasDifferences {
  readonly differences?: readonly ShownDifference[];
}

type Reports = { readonly [Name in keyof WindowReports]?: unknown };

/**
 * Collect every row of a window over all families. Rows by segment are stored as columns, see
 * `segmentRows`.
 */
export function windowRows(window: HasRows & Reports): readonly ShownRow[] {
  const { results, feedback } = window;
  return [...results, ...(feedback?.uncaused?.results ?? []), ...rowsOf(OUTPUTS, window)];
}

/** Every difference of a window except those over organic interactions. */
export function windowDifferences(window: HasDifferences & Reports): readonly ShownDifference[] {
  return [...(window.differences ?? []), ...differencesOf(OUTPUTS, window)];
}

/** Row lists of a window in the stream. */
export interface V1Window {
  readonly estimates: readonly V1Row[];
  readonly uncaused?: readonly V1Row[];
}

/** Convert the row lists of the stream to those of a window. */
export function listsFromV1({ estimates, uncaused = [] }: V1Window): HasRows {
  const rows = (family: string, sent: readonly V1Row[]) =>
    sent.map((row) => rowFromV1<V1Row>(row, family));
  return {
    results: rows('estimates', estimates),
    feedback: { uncaused: { results: rows('uncaused', uncaused) } },
  };
}
