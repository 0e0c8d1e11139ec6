import type { Column } from './series-table.js';

/** One line of a chart, or the points of one. */
export interface Line {
  /** Stands at the line's end and in the readout; '' for neither. */
  readonly label: string;
  readonly colour: string;
  readonly values: Column;
  readonly dash?: readonly number[];
  readonly width?: number;
  readonly points?: boolean;
  readonly band?: { readonly lower: Column; readonly upper: Column };
}
