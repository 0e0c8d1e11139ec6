import { printable } from '../../outputs/text/terminal.js';
import { decimal, percent, signed, whole } from '../../rows/figures.js';
import { isGiven } from '../../rows/reading.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import type { ValueDifferenceRow } from './value-differences.js';
import type { ValueRow } from './value-row.js';
import { writtenDifference, writtenValue } from './value-standing.js';

const HEAD = ['form', 'value', '±', '95 % interval', 'covered', 'requests'];
const WIDTHS = [12, 9, 9, 20, 9, 10];
/** Before the name of a form. */
const GAP = 2;
const DIFFERENCE_HEAD = ['form', 'more', '±', '95 % interval', 'proved'];
const LONGEST_NAME = 25;

/** What lists are worth by requests, a line for each model and form; none where there are none. */
export function valueLines({ values = [], valueDifferences = [] }: WindowSnapshot): string[] {
  if (values.length === 0) return [];
  const title = 'What lists are worth: expected reward of a request';
  const [first] = valueDifferences;
  return [
    ...table(title, HEAD, values, cellsOf),
    ...(first === undefined ? [] : differenceLines(first, valueDifferences)),
  ];
}

function differenceLines(
  { reference, referenceEstimator }: ValueDifferenceRow,
  rows: readonly ValueDifferenceRow[],
): string[] {
  const control = `${nameOf({ model: reference })} (${referenceEstimator})`;
  const title = `How much more than those of ${control}, over the same requests of this window`;
  return table(title, DIFFERENCE_HEAD, rows, differenceCells);
}

function table<Row extends { readonly model: string }>(
  title: string,
  head: readonly string[],
  rows: readonly Row[],
  cells: (row: Row) => readonly string[],
): string[] {
  const names = rows.map(nameOf);
  const width = Math.max('model'.length, ...names.map(({ length }) => length));
  const written = rows.map(cells);
  const form = Math.max(WIDTHS[0], ...written.map(([name]) => GAP + name.length));
  return [
    '',
    title,
    line('model'.padEnd(width), head, form),
    ...written.map((each, r) => line(names[r].padEnd(width), each, form)),
  ];
}

function nameOf({ model }: { readonly model: string }): string {
  return printable(model).slice(0, LONGEST_NAME);
}

function differenceCells(row: ValueDifferenceRow): string[] {
  const { estimator, value, stdErr } = row;
  if (!isGiven(row)) return [estimator, 'refused', '–', '–', '–'];
  return [estimator, signed(value, 4), decimal(stdErr, 4), ...writtenDifference(row)];
}

function cellsOf(row: ValueRow): string[] {
  const { estimator, stdErr, counts, more } = row;
  const [value, interval] = writtenValue(row);
  const given = !isGiven(row) ? ['refused', '–', '–'] : [value, decimal(stdErr, 4), interval];
  const covered = Number.isNaN(more.coverage) ? '–' : percent(more.coverage);
  return [estimator, ...given, covered, whole(counts.requests)];
}

function line(name: string, [form, ...cells]: readonly string[], width: number): string {
  return `${name}${form.padStart(width)}${cells.map((cell, c) => cell.padStart(WIDTHS[c + 1])).join('')}`;
}
