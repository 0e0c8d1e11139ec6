import type { Field } from './field.js';
import type { CompiledField } from './mapping/field-source.js';
import { type CompiledMapping, EXPOSURE_FIELDS, INTERACTION_FIELDS } from './mapping/mapping.js';
import { COLUMN_KINDS } from './table-rows.js';

/** What the text of a cell that is not empty stands for, as JSON would have it. */
type ReadCell = (text: string) => unknown;

/**
 * How the cells of each column are read that fields come from, by what the fields hold. What cannot be
 * read so stays text, which is the fault of the event.
 */
export function cellReaders(mapping: CompiledMapping | undefined): ReadonlyMap<string, ReadCell> {
  const readers = new Map<string, ReadCell>();
  const fields =
    mapping === undefined
      ? CANONICAL
      : [...(mapping.fields.exposure ?? []), ...(mapping.fields.interaction ?? [])];
  for (const source of fields) {
    for (const [column, ...inside] of source.pointers) {
      const read = inside.length > 0 ? jsonCell : cellReader(source);
      // An id that is a number elsewhere too keeps its digits.
      if (readers.get(column) !== textCell) readers.set(column, read);
    }
  }
  for (const [column, ...inside] of mapping?.kindPlaces ?? [['type']]) {
    readers.set(column, inside.length > 0 ? jsonCell : textCell);
  }
  return readers;
}

/** What a cell seems to stand for, of a column of which nothing is known. */
export function guessedCell(name: string, text: string): unknown {
  const known = OF_FIELDS.get(name);
  if (known !== undefined) return known(text);
  if (/^(true|false)$/i.test(text)) return flagCell(text);
  if (/^(\{|\[\s*[{[])/.test(text)) return jsonCell(text);
  if (text.startsWith('[')) return listCell(text);
  return String(Number(text)) === text ? Number(text) : text;
}

type ReadSource = Pick<CompiledField, 'field' | 'pointers'> & Partial<CompiledField>;

const CANONICAL: readonly ReadSource[] = [
  ...new Set<Field>([...EXPOSURE_FIELDS, ...INTERACTION_FIELDS, 'segments']),
].map((field) => ({ field, pointers: [[field]] }));

const OF_FIELDS = cellReaders(undefined);

function cellReader({ field, each, entry, map, dimension }: ReadSource): ReadCell {
  if (each !== undefined || entry !== undefined) return jsonCell;
  if (map !== undefined || dimension !== undefined) return textCell;
  if (field === 'segments') return jsonCell;
  if (field === 'ts') return numberCell;
  switch (COLUMN_KINDS[field]) {
    case 'text':
      return textCell;
    case 'number':
      return numberCell;
    case 'flag':
      return flagCell;
    case 'texts':
      return listCell;
    case 'numbers':
      return numbersCell;
  }
}

function textCell(text: string): string {
  return text;
}

function jsonCell(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function numberCell(text: string): unknown {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

function flagCell(text: string): unknown {
  if (/^(true|t|1)$/i.test(text)) return true;
  return /^(false|f|0)$/i.test(text) ? false : text;
}

/**
 * A list as JSON, Python and DuckDB write it, `["a", "b"]`, `['a', 'b']` or `[a, b]`; else its elements
 * between bars, `a|b`.
 */
function listCell(text: string): unknown {
  if (!text.startsWith('[')) return text.split('|');
  return text.startsWith('["') ? jsonCell(text) : bracketed(text);
}

function numbersCell(text: string): unknown {
  const list = listCell(text);
  if (!Array.isArray(list)) return list;
  return list.map((each: unknown) => (typeof each === 'string' ? numberCell(each) : each));
}

/** An element in single or double quotes, with what is escaped, or one without; then what ends it. */
const ELEMENT = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,[\]'"]*?))\s*([,\]])/sy;

/** The text itself where it is no list. */
function bracketed(text: string): unknown {
  if (/^\[\s*\]$/.test(text)) return [];
  const list: (string | null)[] = [];
  ELEMENT.lastIndex = 1;
  for (let found = ELEMENT.exec(text); found !== null; found = ELEMENT.exec(text)) {
    const [, single, double, bare, end] = found;
    const quoted = single ?? double;
    if (quoted !== undefined) list.push(quoted.replace(/\\(.)/gs, '$1'));
    else list.push(/^(null|none)$/i.test(bare) ? null : bare);
    if (end === ']') return ELEMENT.lastIndex === text.length ? list : text;
  }
  return text;
}
