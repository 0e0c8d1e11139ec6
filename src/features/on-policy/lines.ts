import { printable } from '../../outputs/text/terminal.js';
import { decimal, whole } from '../../rows/figures.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';

const HEAD = ['reward', '±', '95 % interval', 'lists', 'users'];
const NUMBER_WIDTH = 9;
const INTERVAL_WIDTH = 20;
const LONGEST_NAME = 40;

/** What shown lists are worth, a line for each model; none where causes are not followed. */
export function onPolicyLines({ onPolicy }: WindowSnapshot): string[] {
  const values = onPolicy?.values ?? [];
  if (values.length === 0) return [];
  const names = values.map(({ model }) => printable(model).slice(0, LONGEST_NAME));
  const width = Math.max('model'.length, ...names.map(({ length }) => length));
  const rows = values.map(({ value, stdErr, lower, upper, counts }) => [
    decimal(value, 4),
    decimal(stdErr, 4),
    Number.isNaN(lower) ? '–' : `${decimal(lower, 4)} to ${decimal(upper, 4)}`,
    whole(counts.lists),
    whole(counts.users),
  ]);
  return [
    '',
    'What shown lists are worth: reward of a list, by the interactions that name it',
    line('model'.padEnd(width), HEAD),
    ...rows.map((cells, r) => line(names[r].padEnd(width), cells)),
  ];
}

function line(name: string, cells: readonly string[]): string {
  const padded = cells.map((cell, c) => cell.padStart(c === 2 ? INTERVAL_WIDTH : NUMBER_WIDTH));
  return `${name}${padded.join('')}`;
}
