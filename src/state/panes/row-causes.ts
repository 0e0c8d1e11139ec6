import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import { taken } from './taken-rows.js';

/** The interaction names no list that was shown. */
export const UNCAUSED = 0;
/** It names one, but of no model that is evaluated, or one that does not hold its item. */
export const CAUSED_ELSEWHERE = 0xffff;

/**
 * What shown lists have to do with rows, a row each. A model stands as its number plus one: in rows
 * of a pane its dense number, in those of a window its column.
 */
export interface RowCauses {
  /** The model whose shown list led to the interaction and holds its item. */
  readonly cause: Uint16Array;
  /** The model whose list the user was shown last; 0 for none within the ttl. */
  readonly served: Uint16Array;
}

/** Whether a list caused any row. */
export function hasCaused(cause: Uint16Array): boolean {
  for (let r = 0; r < cause.length; r++) if (cause[r] !== UNCAUSED) return true;
  return false;
}

/** Of some rows, by their numbers. */
export function takenCauses({ cause, served }: RowCauses, rows: Int32Array): RowCauses {
  return { cause: taken(cause, rows), served: taken(served, rows) };
}

/** With other numbers for the models; one that has none any more led to the rows from elsewhere. */
export function renumbered(
  { cause, served }: RowCauses,
  numberOf: (model: number) => number | undefined,
): RowCauses {
  const numbers: number[] = [];
  const changed = (column: Uint16Array) =>
    column.map((value) => {
      if (value === UNCAUSED || value === CAUSED_ELSEWHERE) return value;
      numbers[value] ??= (numberOf(value - 1) ?? CAUSED_ELSEWHERE - 1) + 1;
      return numbers[value];
    });
  return { cause: changed(cause), served: changed(served) };
}

/** What the causes of a pane's rows are in a window's: its columns for the models, by value. */
export function columnsOfCauses(models: readonly number[]): Uint16Array {
  const columns = new Uint16Array(CAUSED_ELSEWHERE + 1).fill(CAUSED_ELSEWHERE);
  columns[UNCAUSED] = UNCAUSED;
  for (const [column, model] of models.entries()) columns[model + 1] = column + 1;
  return columns;
}

/** To be read by `readCauses`. */
export function writeCauses(to: BinaryWriter, causes: RowCauses, ids: Dictionaries): void {
  const placed = renumbered(causes, (model) => ids.models.place(model));
  to.column(placed.cause);
  to.column(placed.served);
}

export function readCauses(from: BinaryReader, places: Places): RowCauses {
  const [cause, served] = [from.uint16(), from.uint16()];
  return renumbered({ cause, served }, (place) => places.models.id(place));
}
