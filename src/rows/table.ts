import type { Name, Sentence } from './findings/sentence.js';
import type { ShownRow } from './row.js';

/**
 * Sections and tables of a window. Three functions draw them: as text, as HTML and in the browser.
 * Names come from events, so they are kept apart from our own words, and each function escapes
 * them.
 */

/** How a cell stands out; a terminal has a star for `changed`, and words for the others. */
export type Mark = 'low' | 'changed' | 'better' | 'worse';

/** Words with emphasis and a smaller line below them. */
export interface MarkedCell {
  readonly words: string | Name | Sentence;
  readonly mark?: Mark | undefined;
  readonly notes?: readonly Cell[];
  /** From 0 to 1: the length of a bar, where one can be drawn. */
  readonly share?: number;
}

/** Words of ours, figures among them, a name that comes from events, or several of these. */
export type Cell = string | Name | Sentence | MarkedCell;

export interface Column {
  readonly title: Cell;
  /** Text stands on the left, numbers on the right. */
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
   * The columns, one after the other, whose values are set side by side: what stands before them
   * names a line, what stands after them is shown for each of the values.
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
      /** Of a set: what its rows are counted by. */
      readonly of?: 'items' | 'users';
      readonly curves: readonly {
        readonly name: string | Name;
        /** Held by the least counted share of the catalogue, in steps of equal size from 0 to 1. */
        readonly shares: readonly number[];
      }[];
    };

export interface Block {
  readonly title?: Sentence;
  readonly lead?: Sentence;
  /** Said instead where the chart has nothing to draw. */
  readonly chart?: Chart & { readonly empty?: Sentence };
  readonly tables: readonly Table[];
  /** What the report folds the tables under. */
  readonly folded?: string;
  /** A terminal has no room for it. */
  readonly isAside?: true;
  /** It takes half of the width, where there is enough of it. */
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
  /** The columns that name a line. */
  readonly names: readonly Column[];
  /** A head for each combination that occurs: of two pivoted columns, `over` is the first's value. */
  readonly heads: readonly {
    readonly over: Cell | undefined;
    readonly title: Cell;
  }[];
  /** What is shown under each head. */
  readonly values: readonly Column[];
  readonly lines: readonly {
    readonly names: readonly Cell[];
    /** By head; undefined where the table has no such line. */
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

/** A value without its column: what it is stands beside it, unless it is an interval or in words. */
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
