import type { Field } from '../../events/field.js';
import { type TsUnit, timestampMs } from '../../events/mapping/field-source.js';
import { COLUMN_KINDS, type FieldColumn } from '../../events/table-rows.js';
import type { Texts } from '../../events/texts.js';
import type { LeafLevels, LeafValues } from './leaf-values.js';

const NOTHING_ODD: ReadonlyMap<number, unknown> = new Map();

export interface LeafForm {
  readonly levels: LeafLevels;
  /** Lowest definition level at which a list has an element, which may be null. */
  readonly elementLevel: number;
  readonly rows: number;
  readonly texts: Texts;
  /** Units per ms of a timestamp; undefined for plain numbers, which are in `unit`. */
  readonly perMs: number | undefined;
  readonly unit: TsUnit;
}

/** Build the column of a field from the values of a leaf. */
export function leafColumn(field: Field, leaf: LeafValues, form: LeafForm): FieldColumn {
  switch (COLUMN_KINDS[field]) {
    case 'text':
      return {
        kind: 'text',
        texts: form.texts,
        at: spread(leaf, form),
        odd: NOTHING_ODD,
      };
    case 'flag':
      return {
        kind: 'flag',
        values: Int8Array.from(spread(leaf, form)),
        odd: NOTHING_ODD,
      };
    case 'number':
      return numbers(field, leaf, form);
    case 'texts': {
      const { starts, isAbsent, holes } = lists(leaf, form);
      const { texts } = form;
      const at = elements(leaf, form, Int32Array);
      const odd = oddLists(holes, starts, (n, isHole) => (isHole ? null : texts.string(at[n])));
      return {
        kind: 'texts',
        texts,
        starts,
        at,
        isAbsent,
        odd,
      };
    }
    case 'numbers': {
      const { starts, isAbsent, holes } = lists(leaf, form);
      const values = elements(leaf, form, Float64Array);
      const odd = oddLists(holes, starts, (n, isHole) => (isHole ? null : values[n]));
      return {
        kind: 'numbers',
        starts,
        values,
        isAbsent,
        odd,
      };
    }
  }
}

/** Expand the values that are present to one per row; −1 for a row without a value. */
function spread({ values, definition }: LeafValues, { rows, levels }: LeafForm): Int32Array {
  if (definition === undefined) return values as Int32Array;
  const at = new Int32Array(rows);
  for (let row = 0, v = 0; row < rows; row++) {
    at[row] = definition[row] === levels.definition ? values[v++] : -1;
  }
  return at;
}

function numbers(field: Field, leaf: LeafValues, { rows, levels, perMs, unit }: LeafForm) {
  const { values, definition } = leaf;
  const isAbsent = new Uint8Array(rows);
  const column = definition === undefined ? (values as Float64Array) : new Float64Array(rows);
  for (let row = 0, v = 0; definition !== undefined && row < rows; row++) {
    if (definition[row] === levels.definition) {
      column[row] = values[v++];
    } else {
      isAbsent[row] = 1;
    }
  }
  const odd = new Map<number, unknown>();
  const isTime = field === 'ts' || field === 'received';
  if (isTime && perMs !== undefined) {
    for (let row = 0; row < rows; row++) {
      column[row] = Math.floor(column[row] / perMs);
    }
  } else if (isTime && unit !== 'ms') {
    for (let row = 0; row < rows; row++) {
      const ms = isAbsent[row] === 1 ? 0 : timestampMs(column[row], unit);
      if (typeof ms === 'number') {
        column[row] = ms;
      } else {
        odd.set(row, column[row]);
      }
    }
  }
  return {
    kind: 'number' as const,
    values: column,
    isAbsent,
    odd,
  };
}

/** Find the start of each row's list, the rows without a list, and the null elements. */
function lists({ definition, repetition, places }: LeafValues, form: LeafForm) {
  const { elementLevel, levels, rows } = form;
  const starts = new Int32Array(rows + 1);
  const isAbsent = new Uint8Array(rows);
  const holes: (readonly [row: number, element: number])[] = [];
  let row = -1;
  let count = 0;
  for (let place = 0; place < places; place++) {
    if (repetition![place] === 0) {
      starts[++row] = count;
    }
    const level = definition === undefined ? levels.definition : definition[place];
    if (level >= elementLevel) {
      if (level < levels.definition) {
        holes.push([row, count]);
      }
      count++;
    } else if (level < elementLevel - 1) {
      isAbsent[row] = 1;
    }
  }
  if (row + 1 !== rows) throw new RangeError('its rows differ from those of its row group');
  starts[rows] = count;
  return {
    starts,
    isAbsent,
    holes,
  };
}

/** Expand the present values of a leaf to one per element of a list, 0 if it is null. */
function elements<A extends Int32Array | Float64Array>(
  { values, definition, places }: LeafValues,
  { elementLevel, levels }: LeafForm,
  make: new (length: number) => A,
): A {
  if (definition === undefined) return values as A;
  const all = new make(places);
  let count = 0;
  let v = 0;
  for (let place = 0; place < places; place++) {
    const level = definition[place];
    if (level === levels.definition) {
      all[count++] = values[v++];
    } else if (level >= elementLevel) {
      count++;
    }
  }
  return all.subarray(0, count) as A;
}

/**
 * Lists that have null elements, by row. They are built as JSON would have them, so that validation
 * rejects them.
 */
function oddLists(
  holes: readonly (readonly [row: number, element: number])[],
  starts: Int32Array,
  value: (element: number, isHole: boolean) => unknown,
): ReadonlyMap<number, unknown> {
  const odd = new Map<number, unknown>();
  const missing = new Set(holes.map(([, element]) => element));
  for (const [row] of holes) {
    if (odd.has(row)) continue;
    const start = starts[row];
    const end = starts[row + 1];
    odd.set(
      row,
      Array.from({ length: end - start }, (_, i) => value(start + i, missing.has(start + i))),
    );
  }
  return odd;
}
