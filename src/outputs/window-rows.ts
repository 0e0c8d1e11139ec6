import { differencesOf, rowsOf } from '../features/output.js';
import { OUTPUTS } from '../features/outputs.js';
import type { Difference, Row, Wire } from '../rows/row.js';
import type { WindowReports } from '../stream/feature-types.js';

/** The row lists of a window, or of what was sent of it. */
export interface HasRows {
  readonly results: readonly Wire<Row>[];
  readonly feedback?: { readonly uncaused: { readonly results: readonly Wire<Row>[] } | null };
  readonly onPolicy?: { readonly values: readonly Wire<Row>[] };
  readonly values?: readonly Wire<Row>[];
}

export interface HasDifferences {
  readonly differences?: readonly Wire<Difference>[];
  readonly valueDifferences?: readonly Wire<Difference>[];
}

type Reports = { readonly [Name in keyof WindowReports]?: unknown };

/** Every row of a window, of whatever family; by segment they stand in columns, see `segmentRows`. */
export function windowRows(window: HasRows & Reports): readonly Wire<Row>[] {
  const { results, feedback, onPolicy, values = [] } = window;
  const uncaused = feedback?.uncaused?.results ?? [];
  return [
    ...[results, uncaused, onPolicy?.values ?? [], values].flat(),
    ...rowsOf(OUTPUTS, window),
  ];
}

/** Every difference of a window but those of what users found by themselves. */
export function windowDifferences(window: HasDifferences & Reports): readonly Wire<Difference>[] {
  const { differences = [], valueDifferences = [] } = window;
  return [...differences, ...valueDifferences, ...differencesOf(OUTPUTS, window)];
}
