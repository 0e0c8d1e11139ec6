import type { ValueRow } from '../../estimators/value/window/value-row.js';
import { decimal, percent, whole } from '../../figures/figures.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { printable } from './terminal.js';

const HEAD = ['form', 'value', '±', '95 % interval', 'covered', 'requests'];
const WIDTHS = [12, 9, 9, 20, 9, 10];
const LONGEST_NAME = 25;

/** What lists are worth by requests, a line for each model and form; none where there are none. */
export function valueLines({ values = [] }: WindowSnapshot): string[] {
  if (values.length === 0) return [];
  const names = values.map(({ model }) => printable(model).slice(0, LONGEST_NAME));
  const width = Math.max('model'.length, ...names.map(({ length }) => length));
  return [
    '',
    'What lists are worth: expected reward of a request',
    line('model'.padEnd(width), HEAD),
    ...values.map((row, r) => line(names[r].padEnd(width), cellsOf(row))),
  ];
}

function cellsOf(row: ValueRow): string[] {
  const { estimator, value, stdErr, lower, upper, coverage, requests, isRefused } = row;
  const given = isRefused
    ? ['refused', '–', '–']
    : [
        decimal(value, 4),
        decimal(stdErr, 4),
        Number.isNaN(lower) ? '–' : `${decimal(lower, 4)} to ${decimal(upper, 4)}`,
      ];
  const covered = Number.isNaN(coverage) ? '–' : percent(coverage);
  return [estimator, ...given, covered, whole(requests)];
}

function line(name: string, cells: readonly string[]): string {
  return `${name}${cells.map((cell, c) => cell.padStart(WIDTHS[c])).join('')}`;
}
