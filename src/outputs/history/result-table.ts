import { aggregationOf, isDoubtful, reasonOf } from '../../rows/reading.js';
import type { Difference, Row } from '../../rows/row.js';
import { dueWindows, type Snapshot, type WindowSnapshot } from '../../stream/snapshot.js';
import { windowDifferences, windowRows } from '../window-rows.js';

/** A column of the table of results. */
export interface ResultColumn {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'whole' | 'instant' | 'flag';
  readonly values: readonly (string | number | boolean | null)[];
}

interface Kept {
  readonly snapshot: Snapshot;
  readonly window: WindowSnapshot;
  readonly row: Row | Difference;
}

type Value = string | number | boolean | null | undefined;

/** Every column of `unskew/results@1`, in its order. */
const COLUMNS: readonly (readonly [string, ResultColumn['kind'], (row: Kept) => Value])[] = [
  ['pane_end', 'instant', ({ snapshot }) => snapshot.paneEnd],
  ['window', 'text', ({ window }) => window.name],
  ['window_from', 'instant', ({ window }) => window.from],
  ['window_to', 'instant', ({ window }) => window.to],
  ['model', 'text', ({ row }) => row.model],
  ['reference', 'text', ({ row }) => ('reference' in row ? row.reference : null)],
  ['metric', 'text', ({ row }) => row.metric],
  ['k', 'whole', ({ row }) => row.k],
  ['estimator', 'text', ({ row }) => row.estimator],
  ['aggregation', 'text', ({ row }) => aggregationOf(row)],
  ['value', 'number', ({ row }) => row.value],
  ['std_err', 'number', ({ row }) => row.stdErr],
  ['lower', 'number', ({ row }) => row.lower],
  ['upper', 'number', ({ row }) => row.upper],
  ['ess', 'number', ({ row }) => row.ess],
  ['users', 'whole', ({ row }) => row.counts['users']],
  ['events', 'whole', ({ row }) => row.counts['rows']],
  ['gamma', 'number', ({ snapshot }) => snapshot.propensity.gamma],
  ['gamma_source', 'text', ({ snapshot }) => snapshot.propensity.source],
  ['withheld', 'text', ({ row }) => reasonOf(row)],
  ['is_doubtful', 'flag', ({ row }) => isDoubtful(row)],
];

/** Families that `unskew/results@1` never had; it has every newer one. */
const NOT_IN_V1: ReadonlySet<string> = new Set(['uncaused', 'on_policy', 'values', 'ratings']);

/**
 * The estimates of a tick, and the differences from the reference model, as a table: a row for each
 * window, model, metric, k, estimator and aggregation. What is NaN is null.
 */
export function resultTable(snapshot: Snapshot): ResultColumn[] {
  const rows = dueWindows(snapshot).flatMap((window) =>
    [...windowRows(window), ...windowDifferences(window)]
      .filter(({ family }) => !NOT_IN_V1.has(family))
      .map((row) => ({ snapshot, window, row: row as Row | Difference })),
  );
  return COLUMNS.map(([name, kind, of]) => ({
    name,
    kind,
    values: rows.map((row) => {
      const value = of(row) ?? null;
      return typeof value === 'number' && !Number.isFinite(value) ? null : value;
    }),
  }));
}

/**
 * Whether the tick of a pane is kept: the first that ends at or after each multiple of `everyMs`. So
 * it is a function of the pane alone, and after a restart the same ones are.
 *
 * @param paneMs length of panes
 * @example
 * [9, 10, 11, 20].filter((paneEnd) => isKeptTick(paneEnd, 1, 10)); // [10, 20]
 */
export function isKeptTick(paneEnd: number, paneMs: number, everyMs: number): boolean {
  return Math.floor(paneEnd / everyMs) > Math.floor((paneEnd - paneMs) / everyMs);
}

/**
 * Name of the file of a tick, under the day that it ends in (UTC): `day=2026-01-31/…`. The instant
 * just at midnight belongs to the day before, whose last events it has.
 */
export function resultName(paneEnd: number): string {
  const day = new Date(paneEnd - 1).toISOString().slice(0, 10);
  const instant = new Date(paneEnd).toISOString().replaceAll(/[-:]/g, '');
  return `day=${day}/${instant}.parquet`;
}

/** Where tables of results are kept: a folder, or a prefix of a bucket. */
export interface ResultPlace {
  /** For people, e.g. `s3://bucket/prefix`. */
  readonly place: string;
  /**
   * Puts a whole file under a name with `/` between folders, instead of one that was there. It
   * is complete when it is to be seen; where this fails, what was there is as it was.
   *
   * @throws UnskewError FILE if it cannot be written
   */
  put(name: string, bytes: Uint8Array): Promise<void>;
}
