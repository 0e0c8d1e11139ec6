import type { Name, Sentence } from './findings/sentence.js';
import type { ShownRow } from './row.js';

/**
 * This file defines sections and tables of a window as data. Text, HTML report and page each have a
 * function that draws them. Names from events are separate from fixed text, so that each function
 * can escape them.
 */

/** Emphasis of a cell. A terminal shows `changed` as a star, and the others by their words only. */
export type Mark = 'low' | 'changed' | 'better' | 'worse';

/** Words with an emphasis, and notes that are shown smaller below them. */
export interface MarkedCell {
  readonly words: string | Name | Sentence;
  readonly mark?: Mark | undefined;
  readonly notes?: readonly Cell[];
  /** Length of the bar that some outputs draw in the cell, from 0 to 1 (full length). */
  readonly share?: number;
}

/**
 * Content of a table cell: fixed text, a name from events, a sequence of both, or words with
 * emphasis.
 */
export type Cell = string | Name | Sentence | MarkedCell;

export interface Column {
  readonly title: Cell;
  /** Kind of the column's cells. Names and text are aligned left, numbers and intervals right. */
  readonly kind: 'name' | 'text' | 'number' | 'interval';
}

const columnsOf =
  (kind: Column['kind']) =>
  (...titles: readonly Cell[]): Column[] =>
    titles.map((title) => ({ title, kind }));

/** Functions that create columns of one kind from titles. */
export const names = columnsOf('name');
export const texts = columnsOf('text');
export const numbers = columnsOf('number');
export const intervals = columnsOf('interval');

export interface Table {
  readonly name: string;
  readonly title: Sentence | string;
  readonly columns: readonly Column[];
  readonly lines: readonly (readonly Cell[])[];
  /**
   * Indices of one column, or of two consecutive columns, whose values become column groups (see
   * `pivoted`). The columns before these name a row. The columns after them occur in each group.
   */
  readonly pivot?: readonly [number] | readonly [number, number];
}

/**
 * A point of a calibration plot. It stands for one fifth of a model's predictions: their mean
 * predicted rating, the mean actual rating without correction (`rated`), and the corrected mean.
 */
export interface CalibrationPoint {
  readonly model: string;
  readonly predicted: number | null;
  readonly rated: number | null;
  readonly corrected: number | null;
  readonly rows: number | null;
}

/**
 * Bar of a weight histogram: number of rows with a weight in [from, 2 from), and their fraction of
 * the total weight.
 */
export interface WeightPoint {
  readonly from: number;
  readonly rows: number;
  readonly weightShare: number | null;
}

/**
 * Mean number of exposures per item at each level of popularity, and the lines that were fitted to
 * it.
 */
export interface ExposureCurve {
  readonly points: readonly {
    readonly level: number;
    readonly meanLevel: number;
    readonly exposuresPerItem: number;
  }[];
  readonly fits: readonly {
    readonly name: string;
    readonly gamma: number | null;
    readonly stdErr: number | null;
    readonly intercept: number | null;
  }[];
}

/** Data of a chart. Outputs that cannot draw a kind of chart leave it out. */
export type Chart =
  | {
      readonly kind: 'calibration';
      readonly points: readonly CalibrationPoint[];
    }
  | {
      readonly kind: 'bars';
      readonly points: readonly WeightPoint[];
    }
  | {
      readonly kind: 'intervals';
      readonly rows: readonly ShownRow[];
      readonly baseline: string | null;
    }
  | {
      readonly kind: 'exposure';
      readonly curve: ExposureCurve;
    }
  | {
      readonly kind: 'lorenz';
      /** Whether the rows of a test set are counted by item or by user. */
      readonly of?: 'items' | 'users';
      readonly curves: readonly {
        readonly name: string | Name;
        /**
         * Lorenz curve. Each value is the fraction of all counts that belongs to the least counted
         * part of the catalogue. That part grows in equal steps from nothing to all of the
         * catalogue.
         */
        readonly shares: readonly number[];
      }[];
    };

export interface Block {
  readonly title?: Sentence;
  readonly lead?: Sentence;
  /** Chart of the block; `empty` is shown if there is nothing to draw. */
  readonly chart?: Chart & { readonly empty?: Sentence };
  readonly tables: readonly Table[];
  /** Summary line under which the report collapses the tables. */
  readonly folded?: string;
  /** Whether the block is left out in a terminal, which has no room for it. */
  readonly isAside?: true;
  /** Whether the block takes half of the width, if there is room. */
  readonly isHalf?: true;
}

export interface Section {
  readonly name: string;
  readonly title: string;
  readonly lead: Sentence;
  readonly notes?: readonly Sentence[];
  readonly blocks: readonly Block[];
}

/** Convert a cell of any form to words with emphasis. */
export function markedCell(cell: Cell): MarkedCell & { readonly words: Sentence } {
  if (typeof cell === 'string') return { words: cell === '' ? [] : [cell] };
  if ('name' in cell) return { words: [cell] };
  if (!('words' in cell)) return { words: cell };
  return {
    ...cell,
    words: markedCell(cell.words).words,
  };
}

/** A table whose pivoted columns have become column groups. */
export interface PivotedTable {
  /** Columns that name a row. */
  readonly names: readonly Column[];
  /**
   * Headings of the column groups, one for each combination of pivoted values that occurs. With two
   * pivoted columns, `over` is the value of the first one and `title` that of the second.
   */
  readonly heads: readonly {
    readonly over: Cell | undefined;
    readonly title: Cell;
  }[];
  /** Columns that each group has. */
  readonly values: readonly Column[];
  readonly lines: readonly {
    readonly names: readonly Cell[];
    /** Cells of each group; undefined if the original table has no row for it. */
    readonly cells: readonly (readonly Cell[] | undefined)[];
  }[];
}

/**
 * Merge the rows of a table that differ only in the pivoted columns. Rows and groups keep the order
 * of their first occurrence, but groups with the same `over` are adjacent.
 */
export function pivoted({ columns, lines, pivot = [columns.length] }: Table): PivotedTable {
  const [first] = pivot;
  const end = first + pivot.length;
  const heads = new Map<
    string,
    {
      over: Cell | undefined;
      title: Cell;
    }
  >();
  const found = new Map<
    string,
    {
      names: readonly Cell[];
      cells: Map<string, readonly Cell[]>;
    }
  >();
  for (const line of lines) {
    const [over, title] = pivot.length === 2 ? line.slice(first, end) : [undefined, line[first]];
    const head = JSON.stringify([over, title]);
    if (!heads.has(head)) {
      heads.set(head, {
        over,
        title: title ?? '',
      });
    }
    const names = line.slice(0, first);
    const key = JSON.stringify(names);
    const own = found.get(key) ?? {
      names,
      cells: new Map(),
    };
    own.cells.set(head, line.slice(end));
    found.set(key, own);
  }
  const overs = [...new Set([...heads.values()].map(({ over }) => JSON.stringify(over)))];
  const sorted = overs.flatMap((over) =>
    [...heads].filter(([, head]) => JSON.stringify(head.over) === over),
  );
  return {
    names: columns.slice(0, first),
    heads: sorted.map(([, head]) => head),
    values: columns.slice(end),
    lines: [...found.values()].map(({ names, cells }) => ({
      names,
      cells: sorted.map(([key]) => cells.get(key)),
    })),
  };
}

/**
 * Convert a pivoted table for outputs whose cells may have several lines: each group becomes one
 * column with its first value, and with the other known values as notes. A table without a pivot is
 * unchanged.
 */
export function spread(table: Table): Table {
  if (table.pivot === undefined) return table;
  const { names, heads, values, lines } = pivoted(table);
  const [main, ...others] = values;
  const { pivot: _, ...rest } = table;
  const hasOvers = new Set(heads.map(({ over }) => JSON.stringify(over))).size > 1;
  return {
    ...rest,
    columns: [
      ...names,
      ...heads.map(({ over, title }) => ({
        title:
          hasOvers && over !== undefined
            ? {
                words: markedCell(title).words,
                notes: [over],
              }
            : title,
        kind: main.kind,
      })),
    ],
    lines: lines.map((line) => [
      ...line.names,
      ...line.cells.map((cells): Cell => {
        if (cells === undefined) return '–';
        const own = markedCell(cells[0]);
        const notes = others.flatMap((column, c) => noteOf(column, cells[c + 1]));
        return {
          ...own,
          notes: [...(own.notes ?? []), ...notes],
        };
      }),
    ]),
  };
}

/** Format a value as a note. The title of its column is added, except for intervals and text. */
function noteOf({ title, kind }: Column, cell: Cell): Cell[] {
  const { words, mark, notes = [] } = markedCell(cell);
  if (words.length === 0 || words[0] === '–') return [...notes];
  const what = markedCell(title).words;
  const isPlain = kind === 'interval' || kind === 'text';
  const said: Sentence = isPlain
    ? words
    : what[0] === '±'
      ? ['± ', ...words]
      : [...words, ' ', ...what];
  return [
    {
      words: said,
      mark,
    },
    ...notes,
  ];
}

/** Remove the columns with the given titles, from a table that is too wide. */
export function withoutColumns(table: Table, titles: readonly string[]): Table {
  const isKept = table.columns.map(({ title }) => !titles.includes(title as string));
  const kept = <T>(all: readonly T[]) => all.filter((_, c) => isKept[c]);
  return {
    ...table,
    columns: kept(table.columns),
    lines: table.lines.map(kept),
  };
}
