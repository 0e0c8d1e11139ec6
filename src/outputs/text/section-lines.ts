import type { Section, Table } from '../../features/output.js';
import { printable, wrapped } from './terminal.js';

/** What a feature says, for a terminal: its notes, then its tables. */
export function sectionLines({ title, lead, notes, blocks }: Section): string[] {
  return [
    ...['', `${title}: ${lead}`, ...notes.map(printableLine)].flatMap(wrapped),
    ...blocks.flatMap((block) => ['', ...tableLines(block.table)]),
  ];
}

/** Names of models are in notes and in first cells; both come from events. */
function printableLine(text: string): string {
  return `  ${text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')}`;
}

function tableLines({ head, lines }: Table): string[] {
  const all = [head, ...lines.map(([name, ...cells]) => [printable(name), ...cells])];
  const widths = head.map((_, c) => Math.max(...all.map((line) => line[c].length)));
  return all.map((line) =>
    `  ${line.map((cell, c) => (isText(c, lines) ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  ')}`.trimEnd(),
  );
}

/** Words stand on the left, numbers on the right. */
function isText(column: number, lines: Table['lines']): boolean {
  return (
    column === 0 || lines.every((line) => !/\d/.test(line[column]) || /[a-z]{2}/.test(line[column]))
  );
}
