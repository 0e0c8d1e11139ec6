import type { Name, Sentence } from './findings/sentence.js';
import type { ShownRow } from './row.js';

/**
 * Sections and tables of a window. Three functions draw them: as text, as HTML and in the browser.
 * Names come from events, so tables keep them separate from fixed text, and each function escapes
 * them.
 */

/** Emphasis of a cell. A terminal shows a star for `changed`, and words for the others. */
export type Mark = 'low' | 'changed' | 'better' | 'worse';

/** Words with emphasis and a smaller line below them. */
export interface MarkedCell {
  readonly words: string | Name | Sentence;
  readonly mark?: Mark | undefined;
  readonly notes?: readonly Cell[];
  /** Length of a bar from 0 to 1, for outputs that can draw one. */
  readonly share?: number;
}

/** Fixed text with figures, a name from events, or a sequence of both. */
export type Cell = string | Name | Sentence | MarkedCell;

export interface Column {
  readonly title: Cell;
  /** Text is aligned left, numbers are aligned right. */
  readonly kind: 'name' | 'text' | 'number' | 'interval';
}

const columnsOf =
  (kind: Column['kind']) =>
  (...titles: readonly Cell[]): Column[] =>
    titles.map((title) => ({ title, kind }));

/** Define columns of a kind by title. */
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
   * Consecutive columns whose values are placed side by side. The columns before them name a line;
   * the columns after them are repeated for each value.
   */
  readonly pivot?: readonly [number] | readonly [number, number];
}

/** Corrected and uncorrected mean rating in one fifth of a model's predictions. */
export interface CalibrationPoint {
  readonly model: string;
  readonly predicted: number | null;
  readonly rated: number | null;
  readonly corrected: number | null;
  readonly rows: number | null;
}

/** Share of rows with a weight in [from, 2 from), and their share of all weight. */
export interface WeightPoint {
  readonly from: number;
  readonly rows: number;
  readonly weightShare: number | null;
}

/** Exposures of items by popularity, and the lines fitted to them. */
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

/** Data of a chart; outputs that cannot draw it leave it out. */
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
      /** What the rows of a test set are counted by. */
      readonly of?: 'items' | 'users';
      readonly curves: readonly {
        readonly name: string | Name;
        /**
         * Share of all counts that belongs to the least counted part of the catalogue, for equal
         * steps of that part from 0 to 1.
         */
        readonly shares: readonly number[];
      }[];
    };

export interface Block {
  readonly title?: Sentence;
  readonly lead?: Sentence;
  /** Text shown if the chart has nothing to draw. */
  readonly chart?: Chart & { readonly empty?: Sentence };
  readonly tables: readonly Table[];
  /** Summary under which the report folds the tables. */
  readonly folded?: string;
  /** Left out in a terminal, which has no room for it. */
  readonly isAside?: true;
  /** The block takes half of the width, if there is room. */
  readonly isHalf?: true;
}

export interface Section {
  readonly name: string;
  readonly title: string;
  readonly lead: Sentence;
  readonly notes?: readonly Sentence[];
  readonly blocks: readonly Block[];
}

/** Convert any cell to words with emphasis. */
export function markedCell(cell: Cell): MarkedCell & { readonly words: Sentence } {
  if (typeof cell === 'string') return { words: cell === '' ? [] : [cell] };
  if ('name' in cell) return { words: [cell] };
  if (!('words' in cell)) return { words: cell };
  return {
    ...cell,
    words: markedCell(cell.words).words,
  };
}

/** A table with the values of some columns side by side. */
export interface PivotedTable {
  /** Columns that name a line. */
  readonly names: readonly Column[];
  /**
   * One head for each combination that occurs. With two pivoted columns, `over` is the value of the
   * first.
   */
  readonly heads: readonly {
    readonly over: Cell | undefined;
    readonly title: Cell;
  }[];
  /** Columns shown under each head. */
  readonly values: readonly Column[];
  readonly lines: readonly {
    readonly names: readonly Cell[];
    /** Cells by head; undefined if the table has no such line. */
    readonly cells: readonly (readonly Cell[] | undefined)[];
  }[];
}

/**
 * Merge lines of a table that differ only in the pivoted columns. Lines and heads keep the order of
 * their first occurrence, and heads with the same `over` stay together.
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
 * Lay out a table for outputs whose cells may have several lines: the first value under each head,
 * the other known values smaller below it. A table without a pivot is unchanged.
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

/** Format a value as a note: its column title is added, except for intervals and text. */
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

/** Remove columns with some titles from a table that is too wide. */
export function withoutColumns(table: Table, titles: readonly string[]): Table {
  const isKept = table.columns.map(({ title }) => !titles.includes(title as string));
  const kept = <T>(all: readonly T[]) => all.filter((_, c) => isKept[c]);
  return {
    ...table,
    columns: kept(table.columns),
    lines: table.lines.map(kept),
  };
}
