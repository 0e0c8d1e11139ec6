import { SHOWN_LISTS } from '../estimators/names.js';
import { differencesOf, rowsOf } from '../features/output.js';
import { OUTPUTS } from '../features/outputs.js';
import type { Difference, Row, Wire } from '../rows/row.js';
import type { WindowReports } from '../stream/feature-types.js';
import { rowFromV1, type V1Row } from './json/v1-row.js';

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

/** The lists of rows that the stream sends of a window. */
export interface V1Window {
  readonly estimates: readonly V1Row[];
  readonly uncaused?: readonly V1Row[];
  readonly onPolicy?: { readonly values: readonly Omit<V1Row, Label>[] };
  readonly values?: readonly V1Row[];
  readonly valueDifferences?: readonly (V1Row & { readonly reference: string })[];
}

type Label = 'metric' | 'k' | 'estimator' | 'aggregation';

/** Its rows, where a window has them. */
export function listsFromV1(window: V1Window): HasRows & HasDifferences {
  const { estimates, uncaused = [], onPolicy, values = [], valueDifferences = [] } = window;
  const shown = (onPolicy?.values ?? []).map((row) => ({ ...row, ...SHOWN_LISTS, k: null }));
  const rows = (family: string, sent: readonly V1Row[]) =>
    sent.map((row) => rowFromV1<V1Row>(row, family));
  return {
    results: rows('estimates', estimates),
    feedback: { uncaused: { results: rows('uncaused', uncaused) } },
    onPolicy: { values: rows('on_policy', shown) },
    values: rows('values', values),
    valueDifferences: valueDifferences.map((row) => rowFromV1(row, 'values')),
  };
}
