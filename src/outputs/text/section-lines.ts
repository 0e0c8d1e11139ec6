import type { Sentence } from '../../rows/findings/sentence.js';
import {
  type Block,
  type Cell,
  type Column,
  markedCell,
  pivoted,
  type Section,
  type Table,
} from '../../rows/table.js';
import { harmless, LINE_WIDTH, plainSpaces, printable, wrapped } from './terminal.js';

/** Gap between two columns. */
const GAP = '  ';

/**
 * Format a section for a terminal, at most 100 columns wide. Content that does not fit is left out.
 */
export function sectionLines({ title, lead, notes = [], blocks }: Section): string[] {
  const shown = blocks.filter(({ isAside }) => !isAside);
  const body = shown.flatMap((block) => blockLines(block, title));
  if (blocks.length > 0 && body.length === 0 && (shown.length === 0 || lead.length === 0)) {
    return [];
  }
  return [
    '',
    ...wrapped(lead.length === 0 ? title : `${title}: ${sentenceText(lead)}`),
    ...notes.flatMap((note) => wrapped(`${GAP}${sentenceText(note)}`)),
    ...body,
  ];
}

/** Format a section for standard output, followed by an empty line. */
export function sectionText(section: Section): string {
  return plainSpaces(`${sectionLines(section).join('\n').trimStart()}\n\n`);
}

function blockLines({ title, lead = [], tables }: Block, section: string): string[] {
  const said = [title ?? [], lead].filter((words) => words.length > 0).map(sentenceText);
  const heading =
    said.length === 0 ? [] : ['', ...wrapped(said.join(said[0]!.endsWith('?') ? ' ' : ': '))];
  // A single table directly below its own heading needs no title.
  const isNamed = tables.length > 1 || (title === undefined && tables[0]?.title !== section);
  const body = tables.flatMap((table) => {
    const lines = tableLines(table);
    if (lines.length === 0) return [];
    return ['', ...(isNamed ? [sentenceText(markedCell(table.title).words)] : []), ...lines];
  });
  // A heading without any values below it is left out.
  return tables.length > 0 && body.length === 0 ? [] : [...heading, ...body];
}

/** Format a sentence for a terminal, without control characters. */
export function sentenceText(words: Sentence): string {
  const parts = words.map((part) => {
    if (typeof part === 'string') return harmless(part);
    return 'name' in part ? printable(part.name) : harmless(part.strong);
  });
  return parts.join('');
}

/** Format a cell as lines: its words, and its notes below. */
function cellLines(cell: Cell): string[] {
  const { words, mark, notes = [] } = markedCell(cell);
  const star = mark === 'changed' ? '*' : '';
  return [`${star}${sentenceText(words)}`, ...notes.flatMap(cellLines)];
}

/**
 * A column as text. `head` is its heading, `over` the heading of its column group, and `cells` has
 * the lines of each cell.
 */
interface TextColumn {
  readonly over: string;
  readonly head: string;
  readonly isText: boolean;
  readonly cells: readonly (readonly string[])[];
}

/**
 * Format a table as lines. If the columns do not fit side by side, they are printed in blocks below
 * each other, each with the row names. In a table with a pivot, each cell has two lines, with the
 * first value of the column group above the second. The title of the second value is below the name
 * of the row.
 */
export function tableLines(table: Table): string[] {
  const { names, heads, values, lines } =
    table.pivot === undefined ? unpivoted(table) : pivoted(table);
  const isPivoted = table.pivot !== undefined;
  const [, second] = values;
  const below = isPivoted && second !== undefined ? [`${GAP}${headOf(second)}`] : [];
  const named = names.map((column, c) => ({
    ...columnOf(column),
    cells: lines.map((line) => [...cellLines(line.names[c]), ...(c === 0 ? below : [])]),
  }));
  const rest = heads.map(({ over, title }, h): TextColumn => {
    const column = isPivoted
      ? {
          title,
          kind: 'number' as const,
        }
      : values[h];
    const head = {
      ...columnOf(column),
      over: over === undefined ? '' : cellLines(over)[0],
    };
    return {
      ...head,
      cells: lines.map(({ cells }) => {
        const own = cells[h];
        if (own === undefined) return isPivoted ? ['–', ...below.map(() => '–')] : ['–'];
        return isPivoted ? own.slice(0, 2).map((cell) => cellLines(cell)[0]) : cellLines(own[0]);
      }),
    };
  });
  const blocks = inBlocks(named, rest).map((columns) => blockOf(named, columns));
  return blocks
    .filter(({ length }) => length > 0)
    .flatMap((block, b) => (b === 0 ? block : ['', ...block]));
}

/**
 * Give a table without a pivot the form that `pivoted` returns. Row names are the columns before
 * the first column of numbers or intervals.
 */
function unpivoted({ columns, lines }: Table) {
  const first = columns.findIndex(({ kind }) => kind === 'number' || kind === 'interval');
  const end = Math.max(first, 1);
  const values = columns.slice(end);
  return {
    names: columns.slice(0, end),
    heads: values.map(({ title }) => ({
      over: undefined,
      title,
    })),
    values,
    lines: lines.map((line) => ({
      names: line.slice(0, end),
      cells: line.slice(end).map((cell) => [cell]),
    })),
  };
}

function columnOf(column: Column): Omit<TextColumn, 'cells'> {
  return {
    over: '',
    head: headOf(column),
    isText: column.kind === 'name' || column.kind === 'text',
  };
}

function headOf({ title }: Column): string {
  return sentenceText(markedCell(title).words);
}

function widthOf({ head, cells }: TextColumn): number {
  return Math.max(head.length, ...cells.flat().map(({ length }) => length));
}

function totalWidth(columns: readonly TextColumn[]): number {
  return columns.reduce((sum, column) => sum + GAP.length + widthOf(column), 0);
}

/**
 * Divide columns into blocks that fit side by side: all in one, else one per group (`over`), else
 * as many columns per block as fit.
 */
function inBlocks(named: readonly TextColumn[], rest: readonly TextColumn[]): TextColumn[][] {
  const room = LINE_WIDTH - totalWidth(named);
  if (totalWidth(rest) <= room) return [[...rest]];
  const overs = [...new Set(rest.map(({ over }) => over))];
  return overs.flatMap((over) => {
    const blocks: TextColumn[][] = [];
    for (const column of rest.filter((own) => own.over === over)) {
      const last = blocks.at(-1);
      if (last !== undefined && totalWidth([...last, column]) <= room) {
        last.push(column);
      } else {
        blocks.push([column]);
      }
    }
    return blocks;
  });
}

/** Format a block of columns with headings. Rows without a value in these columns are left out. */
function blockOf(named: readonly TextColumn[], columns: readonly TextColumn[]): string[] {
  const all = [...named, ...columns];
  const overs = [...new Set(columns.map(({ over }) => over))].map((over) => {
    const own = columns.filter((column) => column.over === over);
    const missing = Math.max(0, over.length + GAP.length - totalWidth(own));
    return {
      over,
      first: own[0],
      missing,
      width: totalWidth(own) + missing,
    };
  });
  const widths = all.map(
    (column) => widthOf(column) + (overs.find(({ first }) => first === column)?.missing ?? 0),
  );
  const line = (read: (column: TextColumn) => string) =>
    all
      .map((column, c) =>
        column.isText ? read(column).padEnd(widths[c]) : read(column).padStart(widths[c]),
      )
      .reduce((text, cell) => `${text}${GAP}${cell}`, '')
      .trimEnd();
  const bodies = named[0].cells.flatMap((_, row) => {
    if (columns.every(({ cells }) => cells[row].every((cell) => cell === '–'))) return [];
    const height = Math.max(...all.map(({ cells }) => cells[row].length));
    return Array.from({ length: height }, (_, at) => line(({ cells }) => cells[row][at] ?? ''));
  });
  if (bodies.length === 0) return [];
  const heads = overs
    .map(({ over, width }) => over.padStart(Math.floor((width + over.length) / 2)).padEnd(width))
    .join('');
  return [
    ...(heads.trim() === '' ? [] : [`${' '.repeat(totalWidth(named))}${heads}`.trimEnd()]),
    line(({ head }) => head),
    ...bodies,
  ];
}
