import type { Field } from '../../events/field.js';
import { type TsUnit, timestampMs } from '../../events/mapping/field-source.js';
import {
  COLUMN_KINDS,
  type FieldColumn,
  type FlagColumn,
  type NumberColumn,
  type NumbersColumn,
  type TextColumn,
  type TextsColumn,
} from '../../events/table-rows.js';
import type { Texts } from '../../events/texts.js';
import { isoTimestampMs } from '../../events/timestamp.js';

/**
 * Values of a column, one per row. A text is its index in a table of texts, a timestamp is in ms,
 * and a missing value is null or undefined.
 */
export type RowValues = ArrayLike<unknown>;

/** How to interpret the values of a column, where the values do not show it themselves. */
export interface ValueForm {
  /** Whether numbers are indices in `texts`. */
  readonly areTexts: boolean;
  /** Whether numbers are ms since the epoch, whatever `unit` is. */
  readonly areInstants: boolean;
  readonly texts: Texts;
  readonly unit: TsUnit;
}

/** Convert a table's values to the column of a field. */
export function fieldColumn(field: Field, values: RowValues, form: ValueForm): FieldColumn {
  if (field === 'ts' || field === 'received') return timeColumn(values, form);
  switch (COLUMN_KINDS[field]) {
    case 'text':
      return textColumn(values, form, field === 'type');
    case 'number':
      return numberColumn(values, form);
    case 'flag':
      return flagColumn(values, form);
    case 'texts':
      return textsColumn(values, form);
    case 'numbers':
      return numbersColumn(values, form);
  }
}

function textColumn(
  values: RowValues,
  { areTexts, texts }: ValueForm,
  isKind: boolean,
): TextColumn {
  const at = new Int32Array(values.length);
  const odd = new Map<number, unknown>();
  for (let row = 0; row < at.length; row++) {
    const value = values[row];
    if (areTexts && typeof value === 'number') {
      at[row] = value;
    } else if (value === null || value === undefined) {
      at[row] = -1;
    } else {
      const text = isKind && typeof value === 'boolean' ? String(value) : textOf(value);
      if (text === undefined) {
        odd.set(row, value);
      }
      at[row] = text === undefined ? -1 : texts.addText(text);
    }
  }
  return {
    kind: 'text',
    texts,
    at,
    odd,
  };
}

/** Return a text as it is, an integer as its digits, and undefined for anything else. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined;
}

function timeColumn(values: RowValues, { areTexts, areInstants, texts, unit }: ValueForm) {
  const column = emptyNumbers(values.length);
  const encoder = new TextEncoder();
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value === null || value === undefined) {
      column.isAbsent[row] = 1;
      continue;
    }
    if (value instanceof Date) {
      column.values[row] = value.getTime();
      continue;
    }
    const found = areTexts && typeof value === 'number' ? texts.string(value) : value;
    const ms = areInstants ? found : timestampMs(asNumber(found), unit);
    if (typeof ms === 'number') {
      column.values[row] = ms;
    } else {
      const bytes = encoder.encode(String(ms));
      const instant = typeof ms === 'string' ? isoTimestampMs(bytes, 0, bytes.length) : Number.NaN;
      if (Number.isNaN(instant)) {
        column.odd.set(row, found);
      } else {
        column.values[row] = instant;
      }
    }
  }
  return column;
}

function asNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function emptyNumbers(length: number): NumberColumn & { readonly odd: Map<number, unknown> } {
  return {
    kind: 'number',
    values: new Float64Array(length),
    isAbsent: new Uint8Array(length),
    odd: new Map(),
  };
}

function numberColumn(values: RowValues, form: ValueForm): NumberColumn {
  const column = emptyNumbers(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (typeof value === 'number' && !form.areTexts) {
      column.values[row] = value;
    } else if (value === null || value === undefined) {
      column.isAbsent[row] = 1;
    } else if (typeof value === 'bigint') {
      column.values[row] = Number(value);
    } else {
      column.odd.set(row, asText(value, form));
    }
  }
  return column;
}

function asText(value: unknown, { areTexts, texts }: ValueForm): unknown {
  return areTexts && typeof value === 'number' ? texts.string(value) : value;
}

function flagColumn(values: RowValues, form: ValueForm): FlagColumn {
  const flags = new Int8Array(values.length);
  const odd = new Map<number, unknown>();
  for (let row = 0; row < flags.length; row++) {
    const value = values[row];
    flags[row] = value === true ? 1 : value === false ? 0 : -1;
    if (flags[row] < 0 && value !== null && value !== undefined) {
      odd.set(row, asText(value, form));
    }
  }
  return {
    kind: 'flag',
    values: flags,
    odd,
  };
}

/** Compute the start of each row's list among all elements, and which rows have no list. */
function listStarts(values: RowValues) {
  const starts = new Int32Array(values.length + 1);
  const isAbsent = new Uint8Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const list = values[row];
    if (!Array.isArray(list)) {
      isAbsent[row] = 1;
    }
    starts[row + 1] = starts[row] + (Array.isArray(list) ? list.length : 0);
  }
  return { starts, isAbsent };
}

function textsColumn(values: RowValues, form: ValueForm): TextsColumn {
  const { starts, isAbsent } = listStarts(values);
  const { areTexts, texts } = form;
  const at = new Int32Array(starts[values.length]);
  const odd = new Map<number, unknown>();
  for (let row = 0; row < values.length; row++) {
    const list = values[row];
    if (!Array.isArray(list)) {
      if (list !== null && list !== undefined) {
        odd.set(row, asText(list, form));
      }
      continue;
    }
    for (let i = 0, to = starts[row]; i < list.length; i++) {
      const element: unknown = list[i];
      if (areTexts && typeof element === 'number') {
        at[to + i] = element;
      } else {
        const text = textOf(element);
        at[to + i] = text === undefined ? 0 : texts.addText(text);
        if (text === undefined) {
          odd.set(
            row,
            list.map((each) => elementOf(each, form)),
          );
        }
      }
    }
  }
  return {
    kind: 'texts',
    texts,
    starts,
    at,
    isAbsent,
    odd,
  };
}

/**
 * Convert an element of a list that contains an invalid element. The result is such that validation
 * rejects the list.
 */
function elementOf(element: unknown, form: ValueForm): unknown {
  if (element === undefined) return null;
  return asText(typeof element === 'bigint' ? String(element) : element, form);
}

function numbersColumn(values: RowValues, form: ValueForm): NumbersColumn {
  const { starts, isAbsent } = listStarts(values);
  const numbers = new Float64Array(starts[values.length]);
  const odd = new Map<number, unknown>();
  for (let row = 0; row < values.length; row++) {
    const list = values[row];
    if (!Array.isArray(list)) {
      if (list !== null && list !== undefined) {
        odd.set(row, asText(list, form));
      }
      continue;
    }
    for (let i = 0, to = starts[row]; i < list.length; i++) {
      const element = asNumber(list[i]);
      if (typeof element === 'number' && !form.areTexts) {
        numbers[to + i] = element;
      } else {
        odd.set(
          row,
          list.map((each) => elementOf(each, form)),
        );
      }
    }
  }
  return {
    kind: 'numbers',
    starts,
    values: numbers,
    isAbsent,
    odd,
  };
}
