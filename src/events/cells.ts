import type { Field } from './field.js';
import type { CompiledField } from './mapping/field-source.js';
import { type CompiledMapping, EXPOSURE_FIELDS, INTERACTION_FIELDS } from './mapping/mapping.js';
import type { Reading } from './readings.js';
import { COLUMN_KINDS } from './table-rows.js';

/**
 * Function that converts a cell to a JSON value. CSV cells are texts; Parquet cells are typed, and
 * only text is interpreted further.
 */
type ReadCell = (cell: unknown) => unknown;

/** Records how an ambiguous cell was read. */
export type NoteReading = (reading: Reading) => void;

interface CellOptions {
  readonly mapping: CompiledMapping | undefined;
  /**
   * Segment dimensions to read. A dimension without a mapping is read from the column of its name.
   */
  readonly dimensions?: readonly string[] | undefined;
  /** Whether all cells are text, as in CSV, so that `1.0` may be a number and `nan` a null. */
  readonly areUntyped: boolean;
  /** Whether `0,5` is a number, as in semicolon-separated tables. */
  readonly hasDecimalCommas?: boolean;
  readonly note?: NoteReading;
}

/**
 * Create a reader of cells for each mapped column, by the type of its field. A cell that cannot be
 * read stays unchanged, which makes the event invalid.
 */
export function cellReaders(options: CellOptions): ReadonlyMap<string, ReadCell> {
  const {
    mapping,
    dimensions = [],
    areUntyped,
    hasDecimalCommas = false,
    note = () => {},
  } = options;
  const readers = new Map<string, ReadCell>();
  const idCell = areUntyped ? untypedId(note) : same;
  const of = (kind: ReadCell): ReadCell => (areUntyped ? orNull(kind, note) : kind);
  const fields = mapping === undefined ? CANONICAL : mappedFields(mapping);
  for (const name of dimensions) {
    readers.set(name, same);
  }
  for (const source of fields) {
    for (const [column, ...inside] of source.pointers) {
      const isId = isText(source) && inside.length === 0;
      const own = cellReader(source);
      const typed = of(hasDecimalCommas && own === numberCell ? decimalCommaCell : own);
      const read = inside.length > 0 ? jsonCell : isId ? idCell : typed;
      // A column that is both an id and a number is read as an id, which keeps its digits.
      if (column !== undefined && readers.get(column) !== idCell) {
        readers.set(column, read);
      }
    }
  }
  for (const [column, ...inside] of mapping?.kindPlaces ?? [['type']]) {
    if (column !== undefined) {
      readers.set(column, inside.length > 0 ? jsonCell : same);
    }
  }
  return readers;
}

/** Guess the value of a cell in a column of unknown type. */
export function guessedCell(name: string, text: string, hasDecimalCommas = false): unknown {
  const known = OF_FIELDS.get(name);
  if (known !== undefined && !OBJECTS.test(text)) return known(text);
  if (hasDecimalCommas && DECIMAL_COMMA.test(text)) return decimalCommaCell(text);
  if (NULL_TEXT.test(text)) return null;
  if (/^(true|false)$/i.test(text)) return flagCell(text);
  if (OBJECTS.test(text)) return jsonCell(text);
  if (/^[[{]/.test(text)) return listCell(text);
  if (text.includes('|') && LIST_NAME.test(name)) return listCell(text);
  if (WHOLE_FLOAT.test(text)) return Number(text);
  return String(Number(text)) === text ? Number(text) : text;
}

/** Parse a cell of a typed table if it is JSON text; any other cell stays as it is. */
export function jsonOrCell(cell: unknown): unknown {
  return typeof cell === 'string' && OBJECTS.test(cell) ? jsonCell(cell) : cell;
}

type ReadSource = Pick<CompiledField, 'field' | 'pointers'> & Partial<CompiledField>;

const CANONICAL: readonly ReadSource[] = [
  ...new Set<Field>([...EXPOSURE_FIELDS, ...INTERACTION_FIELDS, 'segments']),
].map((field) => ({
  field,
  pointers: [[field]],
}));

const NULL_TEXT = /^(\\N|NULL|null|None|NaN|nan|NaT|<NA>|N\/A|#N\/A)$/;
/** Pattern of column names for lists of items. In such a column, bars in a text separate items. */
const LIST_NAME = /^(items|products|(item|product|sku)_?ids|recommendations|results)$/i;
/** Pattern of JSON text of an object, or of a list of objects or lists. */
const OBJECTS = /^\s*(\{\s*"|\[\s*[{[])/;
const WHOLE_FLOAT = /^-?\d{1,15}\.0+$/;

const OF_FIELDS = cellReaders({
  mapping: undefined,
  areUntyped: true,
});

function mappedFields({ fields, impression }: CompiledMapping): readonly ReadSource[] {
  const parts = impression && [...impression.fields, ...impression.part];
  const single = (parts ?? []).map(({ source }) => source);
  return [...(fields.exposure ?? []), ...(fields.interaction ?? []), ...single];
}

function isText({ field, each, entry, map, split, dimension }: ReadSource): boolean {
  if ([each, entry, map, split, dimension].some((note) => note !== undefined)) return false;
  return COLUMN_KINDS[field] === 'text' && field !== 'segments' && field !== 'propensityOf';
}

function cellReader({ field, each, entry, map, split, dimension }: ReadSource): ReadCell {
  if (each !== undefined || entry !== undefined) return jsonCell;
  if (map !== undefined || dimension !== undefined || split !== undefined) return same;
  if (field === 'segments') return jsonCell;
  if (field === 'ts' || field === 'received') return numberCell;
  switch (COLUMN_KINDS[field]) {
    case 'text':
      return same;
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

function same(cell: unknown): unknown {
  return cell;
}

/**
 * Extend a cell reader: texts that stand for null in tables, such as `NULL` and `nan`, become null.
 */
function orNull(read: ReadCell, note: NoteReading): ReadCell {
  return (cell) => {
    if (typeof cell !== 'string' || !NULL_TEXT.test(cell)) return read(cell);
    note('null_text');
    return null;
  };
}

/** Pattern of a long number that a spreadsheet has rounded, such as `9.00002E+11`. */
const SHORTENED = /^\d[.,]\d+E\+\d\d$/;

/**
 * Create a reader of ids in text cells. It reads `900002.0` as 900002, since tools turn a column of
 * integers with gaps into floats.
 */
function untypedId(note: NoteReading): ReadCell {
  return orNull((cell) => {
    if (typeof cell === 'string' && SHORTENED.test(cell)) {
      throw new RangeError(`a spreadsheet has rounded the id ${cell}: write the column as text`);
    }
    if (typeof cell !== 'string' || !WHOLE_FLOAT.test(cell)) return cell;
    note('whole_float');
    return cell.slice(0, cell.indexOf('.'));
  }, note);
}

function jsonCell(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

function numberCell(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : cell;
}

const DECIMAL_COMMA = /^[-+]?\d+,\d+$/;

function decimalCommaCell(cell: unknown): unknown {
  const isComma = typeof cell === 'string' && DECIMAL_COMMA.test(cell);
  return numberCell(isComma ? cell.replace(',', '.') : cell);
}

function flagCell(cell: unknown): unknown {
  if (cell === 1 || cell === 0) return cell === 1;
  if (typeof cell !== 'string') return cell;
  if (/^(true|t|1)$/i.test(cell)) return true;
  return /^(false|f|0)$/i.test(cell) ? false : cell;
}

/**
 * Parse a list written as text, in one of these forms: JSON, Python or DuckDB (`["a", "b"]`,
 * `['a', 'b']`, `[a, b]`), numpy (`[1 2 3]`, `['a' 'b']`), Postgres (`{a,b}`) or bars (`a|b`). A
 * single word becomes a list of one element. A text that could be one element or several stays a
 * text.
 */
function listCell(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  const text = cell.trim();
  if (text.startsWith('["')) {
    const list = jsonCell(text);
    if (Array.isArray(list)) return list;
  }
  const inner = bracketed(text);
  if (inner !== undefined) return elementsOf(inner) ?? cell;
  if (text.includes('|')) {
    return cell.split('|').map((each) => (each === '' ? each : elementOf(each)));
  }
  return /[,;\s[\]{}]/.test(text) ? cell : [cell];
}

function numbersCell(cell: unknown): unknown {
  const list = listCell(cell);
  if (!Array.isArray(list)) return list;
  return list.map((each: unknown) => (typeof each === 'string' ? numberCell(each) : each));
}

const BRACKETED = /^(?:(?:np\.)?array\()?[[{](.*)[\]}](?:,\s*dtype=[^)]*)?\)?$/s;
/** Pattern of one element of a list: quoted with escapes, or unquoted. */
const ELEMENT =
  /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|np\.\w+\(\s*(?:'([^']*)'|"([^"]*)"|([^()'"]*))\)|([^,[\]{}()'"\s](?:[^,[\]{}()'"]*[^,[\]{}()'"\s])?))\s*/sy;

/** The text between brackets; undefined without brackets. */
function bracketed(text: string): string | undefined {
  return BRACKETED.exec(text)?.[1];
}

/**
 * Elements of a list, given the text between its brackets. Undefined if the text has another form,
 * is shortened by `...`, or could be one element or several.
 */
function elementsOf(inner: string): readonly (string | null)[] | undefined {
  if (/^\s*$/.test(inner)) return [];
  const spaced = spacedNumbers(inner);
  if (spaced !== undefined) return spaced;
  const list: (string | null)[] = [];
  let commas = 0;
  for (let at = 0; at <= inner.length; ) {
    ELEMENT.lastIndex = at;
    const found = ELEMENT.exec(inner);
    if (found === null) return undefined;
    const [, single, double, own, ownDouble, plain, bare] = found;
    const quoted = single ?? double;
    if (quoted !== undefined) {
      list.push(quoted.replace(/\\(.)/gs, '$1'));
    } else {
      list.push(elementOf(own ?? ownDouble ?? plain ?? bare ?? ''));
    }
    at = ELEMENT.lastIndex;
    if (at === inner.length) break;
    // numpy separates quoted elements by spaces only.
    if (inner[at] === ',') {
      commas++;
      at++;
    } else if (bare !== undefined || commas > 0) return undefined;
  }
  const [first] = list;
  const isOneOrSeveral = list.length === 1 && !/['"]/.test(inner) && /\s/.test(first ?? '');
  return isOneOrSeveral || list.includes('...') ? undefined : list;
}

function elementOf(text: string): string | null {
  if (/^(null|none|nan)$/i.test(text)) return null;
  return WHOLE_FLOAT.test(text) ? text.slice(0, text.indexOf('.')) : text;
}

/** Elements of a list of numbers separated by spaces; undefined if any is not a number. */
function spacedNumbers(inner: string): readonly string[] | undefined {
  const elements = inner.trim().split(/\s+/);
  const areNumbers = elements.every((each) => /^-?\d+\.?\d*(e[+-]?\d+)?$/i.test(each));
  return areNumbers ? elements.map((each) => each.replace(/\.0*$/, '')) : undefined;
}
