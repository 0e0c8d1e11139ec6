import { NAMES_EXPOSURE } from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';

/**
 * Longest time, ms, after a driven interaction within which the user's next interaction with the
 * same item counts as driven.
 */
export const FOLLOW_UP_MS = 30 * 60_000;

/**
 * Finds the causes of interactions without a list id. If the user's previous driven interaction
 * with the same item is at most half an hour earlier, the interaction takes the cause of that one,
 * and counts as driven itself. For example, a purchase after a click seldom has a list id, but the
 * list drove the purchase too.
 *
 * This class compares the times of interactions within a pane. Across panes, `GroupedRows` compares
 * the numbers of their panes instead.
 */
export class FollowUps {
  /**
   * By hash of user and item: 1 if the pane may have an interaction with them without a list id,
   * 0 if it has none.
   */
  readonly #mayFollow: Uint8Array;
  readonly #items = new Map<
    number,
    {
      ts: number;
      cause: number;
    }
  >();

  /**
   * @param interactions all of the pane. Driven ones are only stored if one without a list id may
   * follow them.
   */
  constructor({ flags, user, item, length }: Interactions) {
    let unnamed = 0;
    for (let r = 0; r < length; r++) {
      unnamed += (flags[r] & NAMES_EXPOSURE) === 0 ? 1 : 0;
    }
    this.#mayFollow = new Uint8Array(2 ** Math.ceil(Math.log2(SLOTS * unnamed + 1)));
    for (let r = 0; r < length; r++) {
      if ((flags[r] & NAMES_EXPOSURE) === 0) {
        this.#mayFollow[this.#slotOf(user[r], item[r])] = 1;
      }
    }
  }

  /** Record an interaction with a list id. */
  note(user: number, item: number, ts: number, cause: number): void {
    if (this.#mayFollow[this.#slotOf(user, item)] === 0) return;
    this.#items.set(keyOf(user, item), { ts, cause });
  }

  /**
   * @returns the cause of an interaction without a list id; `UNCAUSED` if it follows no driven one
   */
  causeOf(user: number, item: number, ts: number): number {
    if (this.#items.size === 0) return UNCAUSED;
    const known = this.#items.get(keyOf(user, item));
    if (known === undefined || ts - known.ts > FOLLOW_UP_MS) return UNCAUSED;
    known.ts = ts;
    return known.cause;
  }

  #slotOf(user: number, item: number): number {
    const hash = Math.imul(user, 0x9e3779b1) ^ Math.imul(item, 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & (this.#mayFollow.length - 1);
  }
}

/** Entries of the filter for each interaction without a list id. */
const SLOTS = 8;

interface Interactions {
  readonly flags: Uint8Array;
  readonly user: Int32Array;
  readonly item: Int32Array;
  readonly length: number;
}

/** Combine user and item, dense numbers below 2^26, into a key. */
function keyOf(user: number, item: number): number {
  return user * 0x4000000 + item;
}

/**
 * Value of `RowCauses.cause`: the interaction neither has the id of a shown list nor follows a
 * driven interaction.
 */
export const UNCAUSED = 0;
/**
 * Value of `RowCauses.cause`: the interaction has a list id, but the list is unknown, lacks the
 * item, or belongs to a model that is not evaluated. Value of `RowCauses.served`: the list last
 * shown to the user belongs to a model that is not evaluated.
 */
export const CAUSED_ELSEWHERE = 0xffff;

/**
 * Causes of rows by shown lists, one entry per row. A model is stored as a number plus one: its
 * dense number in rows of a pane, its column in rows of a window.
 */
export interface RowCauses {
  /** The model whose shown list led to the interaction and contains its item. */
  readonly cause: Uint16Array;
  /** The model whose list was last shown to the user; 0 if there is none within the ttl. */
  readonly served: Uint16Array;
}

/** Whether a list caused any of the rows. */
export function hasCaused(cause: Uint16Array): boolean {
  for (let r = 0; r < cause.length; r++) {
    if (cause[r] !== UNCAUSED) return true;
  }
  return false;
}

/** Select the causes of some rows, by their numbers. */
export function takenCauses({ cause, served }: RowCauses, rows: Int32Array): RowCauses {
  return {
    cause: taken(cause, rows),
    served: taken(served, rows),
  };
}

/** Renumber the models; a model without a number becomes `CAUSED_ELSEWHERE`. */
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
  return {
    cause: changed(cause),
    served: changed(served),
  };
}

/**
 * Build a table from causes in a pane's rows (model number + 1) to those of a window (column + 1).
 */
export function columnsOfCauses(models: readonly number[]): Uint16Array {
  const columns = new Uint16Array(CAUSED_ELSEWHERE + 1).fill(CAUSED_ELSEWHERE);
  columns[UNCAUSED] = UNCAUSED;
  for (const [column, model] of models.entries()) {
    columns[model + 1] = column + 1;
  }
  return columns;
}

/** Write in the format of `readCauses`. */
export function writeCauses(to: BinaryWriter, causes: RowCauses, ids: Dictionaries): void {
  const placed = renumbered(causes, (model) => ids.models.place(model));
  to.column(placed.cause);
  to.column(placed.served);
}

export function readCauses(from: BinaryReader, places: Places): RowCauses {
  const cause = from.uint16();
  const served = from.uint16();
  return renumbered({ cause, served }, (place) => places.models.id(place));
}

type Column = Float64Array | Float32Array | Int32Array | Uint16Array | Uint8Array;

/** Select the values of some rows of a column, by their numbers. */
export function taken<Of extends Column>(from: Of, rows: Int32Array): Of {
  const into = new (from.constructor as new (length: number) => Of)(rows.length);
  for (let at = 0; at < rows.length; at++) {
    into[at] = from[rows[at]];
  }
  return into;
}
