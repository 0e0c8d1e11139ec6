/**
 * What is shown of a window, for the command line, the report and the page alike: three functions
 * draw it, as text, as HTML and in the document of a browser. Names come from events, so each of
 * these escapes them.
 */

/** A cell: words of ours, a name that comes from events, or a number with its decimals. */
export type Cell =
  | string
  | { readonly name: string }
  | { readonly value: number | null; readonly digits: number };

export interface Column {
  readonly title: string;
  readonly kind: 'name' | 'text' | 'number' | 'interval';
}

export interface Table {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly lines: readonly (readonly Cell[])[];
  /** The column whose values a terminal sets side by side. */
  readonly pivot?: number;
}

/** A point of a chart; what its numbers mean is the chart's own. */
export type Point = Readonly<Record<string, string | number | null>>;

export type Block =
  | { readonly text: string }
  | { readonly table: Table; readonly lead?: string }
  | { readonly chart: string; readonly data: readonly Point[] };

export interface Section {
  readonly name: string;
  readonly title: string;
  readonly lead: string;
  readonly blocks: readonly Block[];
}
