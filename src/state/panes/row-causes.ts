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
  numbers[UNCAUSED] = UNCAUSED;
  const changed = (column: Uint16Array) => {
    const into = new Uint16Array(column.length);
    for (let r = 0; r < column.length; r++) {
      const value = column[r];
      if (value === CAUSED_ELSEWHERE) {
        into[r] = CAUSED_ELSEWHERE;
        continue;
      }
      numbers[value] ??= (numberOf(value - 1) ?? CAUSED_ELSEWHERE - 1) + 1;
      into[r] = numbers[value];
    }
    return into;
  };
  return { cause: changed(cause), served: changed(served) };
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
