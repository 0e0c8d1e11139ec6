import { quoted } from '../../export/set-encoder.js';
import { verdictOn } from '../../features/findings.js';
import { tabledOf } from '../../features/output.js';
import { allOutputs } from '../../features/outputs.js';
import type { PairVerdict } from '../../features/verdict.js';
import { textOf } from '../../rows/findings/words.js';
import { aggregationOf, isDoubtful, reasonOf } from '../../rows/reading.js';
import type { ShownDifference, ShownRow } from '../../rows/row.js';
import { dueWindows, type Snapshot } from '../../stream/tick/snapshot.js';
import { windowDifferences, windowRows } from '../window-rows.js';

/** A column of the results table. */
export interface ResultColumn {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'whole' | 'instant' | 'flag';
  readonly values: readonly (string | number | boolean | null)[];
}

/** A row of the results table: a number or a verdict, with the window that it covers. */
interface Kept {
  readonly snapshot: Snapshot;
  readonly window: {
    readonly name: string | null;
    readonly from: number;
    readonly to: number;
  };
  readonly row: ShownRow | ShownDifference | PairVerdict;
}

type Value = string | number | boolean | null | undefined;

const isVerdict = (row: Kept['row']): row is PairVerdict => 'state' in row;
const ofNumber =
  (of: (row: ShownRow | ShownDifference) => Value) =>
  ({ row }: Kept): Value =>
    isVerdict(row) ? null : of(row);
const ofVerdict =
  (of: (verdict: PairVerdict, snapshot: Snapshot) => Value) =>
  ({ row, snapshot }: Kept): Value =>
    isVerdict(row) ? of(row, snapshot) : null;

/** Columns of `unskew/results@2`, in order: name, kind, and the value of a row. */
const COLUMNS: readonly (readonly [string, ResultColumn['kind'], (kept: Kept) => Value])[] = [
  ['pane_end', 'instant', ({ snapshot }) => snapshot.paneEnd],
  ['window', 'text', ({ window }) => window.name],
  ['window_from', 'instant', ({ window }) => window.from],
  ['window_to', 'instant', ({ window }) => window.to],
  ['family', 'text', ({ row }) => (isVerdict(row) ? 'verdict' : row.family)],
  ['model', 'text', ({ row }) => row.model],
  ['reference', 'text', ({ row }) => ('reference' in row ? row.reference : null)],
  ['metric', 'text', ({ row }) => row.metric],
  ['k', 'whole', ({ row }) => row.k],
  ['estimator', 'text', ofNumber(({ estimator }) => estimator)],
  ['aggregation', 'text', ofNumber(aggregationOf)],
  ['dimension', 'text', ofNumber(({ segment }) => segment?.dimension)],
  [
    'segment',
    'text',
    ofNumber(({ segment }) => (segment?.kind === 'value' ? segment.value : null)),
  ],
  ['segment_kind', 'text', ofNumber(({ segment }) => segment?.kind)],
  ['value', 'number', ({ row }) => row.value],
  ['std_err', 'number', ({ row }) => row.stdErr],
  ['lower', 'number', ({ row }) => row.lower],
  ['upper', 'number', ({ row }) => row.upper],
  ['ess', 'number', ({ row }) => row.ess],
  ['users', 'whole', ofNumber(({ counts }) => counts['users'])],
  ['events', 'whole', ofNumber(({ counts }) => counts['rows'])],
  ['requests', 'whole', ofNumber(({ counts }) => counts['requests'])],
  ['pairs', 'whole', ofNumber(({ counts }) => counts['pairs'])],
  ['share', 'number', ofNumber(({ more }) => more?.['share'])],
  ['p', 'number', ofNumber(({ more }) => more?.['p'])],
  ['gamma', 'number', ({ snapshot }) => snapshot.propensity.gamma],
  ['gamma_source', 'text', ({ snapshot }) => snapshot.propensity.source],
  ['status', 'text', ofNumber(({ status }) => status)],
  ['withheld', 'text', ({ row }) => (isVerdict(row) ? row.reason : reasonOf(row))],
  ['is_doubtful', 'flag', ofNumber(isDoubtful)],
  ['verdict', 'text', ofVerdict(({ state }) => state)],
  ['better', 'text', ofVerdict(({ better }) => better)],
  ['rests_on', 'text', ofVerdict(({ rung }) => rung)],
  [
    'sentence',
    'text',
    ofVerdict((verdict, { experiment }) => textOf(verdictOn(verdict, experiment))),
  ],
  ['is_backfilled', 'flag', ({ snapshot }) => snapshot.isBackfilled === true],
];

/**
 * Build the results table of a tick. It has one row for each number of each window, family and
 * segment, for each difference to the reference model, and for each verdict. The window of a
 * verdict is the time that it covers. NaN becomes null.
 */
export function resultTable(snapshot: Snapshot): ResultColumn[] {
  const kept = dueWindows(snapshot).flatMap((window) =>
    [
      ...windowRows(window),
      ...windowDifferences(window),
      ...(window.feedback?.uncaused?.differences ?? []),
      ...tabledOf(allOutputs(), window),
    ].map(
      (row): Kept => ({
        snapshot,
        window,
        row,
      }),
    ),
  );
  for (const verdict of snapshot.verdicts ?? []) {
    const row = asSaid(verdict, snapshot.experiment);
    kept.push({
      snapshot,
      window: {
        name: null,
        from: row.since,
        to: row.at,
      },
      row,
    });
  }
  return COLUMNS.map(([name, kind, of]) => ({
    name,
    kind,
    values: kept.map((each) => {
      const value = of(each) ?? null;
      return typeof value === 'number' && !Number.isFinite(value) ? null : value;
    }),
  }));
}

/** Replace the numbers of a verdict by those of the A/B test, if the test compared the pair. */
function asSaid(verdict: PairVerdict, experiment: Snapshot['experiment']): PairVerdict {
  const { model, reference } = verdict;
  const lift =
    experiment?.refusal === null && experiment.control === reference
      ? experiment.lifts.find((own) => own.model === model)
      : undefined;
  if (lift === undefined) return verdict;
  const { difference, stdErr, lower, upper } = lift;
  return {
    ...verdict,
    value: difference,
    stdErr,
    lower,
    upper,
  };
}

/**
 * Format a results table as CSV (RFC 4180) with a header and LF line ends. Text is quoted, times
 * are ISO 8601 in UTC, and null is an empty field.
 */
export function resultCsv(columns: readonly ResultColumn[]): string {
  const fields = columns.map(({ kind, values }) =>
    values.map((value) => {
      if (value === null) return '';
      if (kind === 'instant') return new Date(Number(value)).toISOString();
      return kind === 'text' ? quoted(String(value)) : String(value);
    }),
  );
  const lines = columns[0]!.values.map((_, r) => fields.map((field) => field[r]).join(','));
  return `${[columns.map(({ name }) => name).join(','), ...lines].join('\n')}\n`;
}

/**
 * Whether the tick of a pane is written to the results: the first one that ends at or after each
 * multiple of `everyMs`. This depends only on the end of the pane, so a restart selects the same
 * ticks.
 *
 * @param paneMs length of panes
 * @example
 * [9, 10, 11, 20].filter((paneEnd) => isKeptTick(paneEnd, 1, 10)); // [10, 20]
 */
export function isKeptTick(paneEnd: number, paneMs: number, everyMs: number): boolean {
  return Math.floor(paneEnd / everyMs) > Math.floor((paneEnd - paneMs) / everyMs);
}

/**
 * Path of a tick's file in the result store, in a folder for its day in UTC: `day=2026-01-31/…`. A
 * tick at midnight belongs to the previous day, whose last events it contains.
 */
export function resultName(paneEnd: number): string {
  const day = new Date(paneEnd - 1).toISOString().slice(0, 10);
  const instant = new Date(paneEnd).toISOString().replaceAll(/[-:]/g, '');
  return `day=${day}/${instant}.parquet`;
}

/** A result store: a folder, or a prefix of an S3 bucket. */
export interface ResultPlace {
  /** Name of the store for messages, e.g. `s3://bucket/prefix`. */
  readonly place: string;
  /**
   * Write a whole file under a name with `/` between folders, and replace a file with that name.
   * Readers never see part of a file. If writing fails, the existing file is unchanged.
   *
   * @throws UnskewError FILE if it cannot be written
   */
  put(name: string, bytes: Uint8Array): Promise<void>;
}

/** A result store to which past windows can be added without overwriting those of a service. */
export interface PastResultPlace extends ResultPlace {
  /** Write a file unless one with that name exists. @returns whether it was written */
  putNew(name: string, bytes: Uint8Array): Promise<boolean>;
}
