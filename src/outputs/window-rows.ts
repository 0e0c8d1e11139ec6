import { differencesOf, rowsOf } from '../features/output.js';
import { OUTPUTS } from '../features/outputs.js';
import type { ShownDifference, ShownRow } from '../rows/row.js';
import type { WindowReports } from '../stream/feature-types.js';
import { rowFromV1, type V1Row } from './json/v1-row.js';

/**
 * Estimates of a window, over all interactions and over organic ones, in memory or parsed from
 * JSON.
 */
export interface HasRows {
  readonly results: readonly ShownRow[];
  readonly feedback?: { readonly uncaused: { readonly results: readonly ShownRow[] } | null };
}

export interface HasDifferences {
  readonly differences?: readonly ShownDifference[];
}

type Reports = { readonly [Name in keyof WindowReports]?: unknown };

/**
 * Collect all rows of a window: estimates, organic estimates, and the rows of features. Rows by
 * segment are not included; they are stored as columns, see `segmentRows`.
 */
export function windowRows(window: HasRows & Reports): readonly ShownRow[] {
  const { results, feedback } = window;
  return [...results, ...(feedback?.uncaused?.results ?? []), ...rowsOf(OUTPUTS, window)];
}

/** Collect all differences of a window, except those over organic interactions. */
export function windowDifferences(window: HasDifferences & Reports): readonly ShownDifference[] {
  return [...(window.differences ?? []), ...differencesOf(OUTPUTS, window)];
}

/** Estimates of a window as sent in the page's event stream (version 1 of the JSON). */
export interface V1Window {
  readonly estimates: readonly V1Row[];
  readonly uncaused?: readonly V1Row[];
}

/** Convert the estimates from the event stream to rows in memory. */
export function listsFromV1({ estimates, uncaused = [] }: V1Window): HasRows {
  const rows = (family: string, sent: readonly V1Row[]) =>
    sent.map((row) => rowFromV1<V1Row>(row, family));
  return {
    results: rows('estimates', estimates),
    feedback: { uncaused: { results: rows('uncaused', uncaused) } },
  };
}
