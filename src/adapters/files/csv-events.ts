import { isUtf8 } from 'node:buffer';
import { UnskewError } from '../../errors.js';
import { cellReaders, type NoteReading } from '../../events/cells.js';
import type { EventFields } from '../../events/found.js';
import type { RowForm } from '../../events/line-scanner.js';
import type { CompiledMapping } from '../../events/mapping/mapping.js';
import type { EventRole } from '../../events/parse.js';
import { tablePlan } from '../../events/table-rows.js';
import { CsvFault, type CsvForm, CsvRows } from './csv-rows.js';
import { openChunks } from './file-chunks.js';
import type { LineTaker } from './line-splitter.js';
import { unfitColumns } from './needs-mapping.js';
import { partitionCells, pathColumns, withSegments } from './path-columns.js';

export interface ReadCsvOptions {
  /** Maximum length of a row, bytes; a longer one stops reading. */
  readonly maxRowBytes: number;
  /** Column names of a table without a header row. */
  readonly columns?: readonly string[] | undefined;
  /** Called with the bytes read on disk, and the file size. */
  readonly onProgress?: ((readBytes: number, totalBytes: number) => void) | undefined;
}

/** How to turn the rows of a table into events. */
export interface RowReading {
  readonly mapping: CompiledMapping | undefined;
  readonly dimensions?: readonly string[] | undefined;
  readonly note?: NoteReading;
}

/** Receives a row as an unmapped JSON event. `row` is its number, where 1 is the header row. */
export type TakeRow = (event: EventFields, role: EventRole, row: number) => Promise<void> | void;

/**
 * Read events from a file of values separated by commas, semicolons, tabs or bars (RFC 4180), with
 * column names in the first row. Cells are converted by the content of their column; an empty cell
 * is a missing value.
 *
 * @param bulkOf returns a fast path for rows of unmapped events; undefined if there is none
 * @throws UnskewError FILE in one line if the file is not such a table, or lacks a column for a
 * field
 */
export async function readCsvEvents(
  path: string,
  reading: RowReading,
  options: ReadCsvOptions,
  takeRow: TakeRow,
  bulkOf?: (form: RowForm) => LineTaker | undefined,
): Promise<void> {
  const { mapping, dimensions = [] } = reading;
  const partitions = pathColumns(path);
  await readCsv(
    path,
    {
      ...options,
      columns: mapping?.columns,
    },
    (names, form) => {
      const hasDecimalCommas = form.delimiter === ';';
      const readers = cellReaders({
        ...reading,
        areUntyped: true,
        hasDecimalCommas,
      });
      const plan = tablePlan(
        {
          columns: new Set(names),
          partitions,
        },
        mapping,
      );
      if (typeof plan === 'string') {
        const known = names.slice(0, NAMED_COLUMNS).join(', ').slice(0, 300);
        throw unfitColumns(path, `${plan}; its columns are ${known}`, mapping !== undefined);
      }
      const columns = names.flatMap((name, at) => {
        const read = readers.get(name);
        return read === undefined
          ? []
          : [
              {
                at,
                name,
                read,
              },
            ];
      });
      const valueAt = columns.find(({ name }) => isValue(name, mapping))?.name;
      const ofPath = partitionCells(partitions, names, readers);
      const take = (cells: readonly string[], row: number) => {
        const event: Record<string, unknown> = { ...ofPath };
        for (const { at, name, read } of columns) {
          const text = cells[at];
          if (text !== '') {
            event[name] = readCell(read, text, path, row);
          } else if (name === valueAt) {
            event[name] = null;
          }
        }
        return takeRow(withSegments(event, dimensions, mapping), plan.role, row);
      };
      const isPlain = mapping === undefined && Object.keys(ofPath).length === 0;
      return {
        take,
        bulk: isPlain ? bulkOf?.({ ...form, names, role: plan.role }) : undefined,
      };
    },
  );
}

/** Convert a cell by its column's reader. @throws UnskewError FILE for an unreadable cell */
function readCell(
  read: (cell: unknown) => unknown,
  text: string,
  path: string,
  row: number,
): unknown {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refused(path, `row ${row}: ${error.message}`);
  }
}

/** Whether a column is mapped to the field `value`. An empty cell of such a column means null. */
function isValue(name: string, mapping: CompiledMapping | undefined): boolean {
  if (mapping === undefined) return name === 'value';
  const fields = mapping.fields.interaction ?? [];
  return fields.some(({ field, pointers }) => field === 'value' && pointers[0]?.[0] === name);
}

/** Number of columns listed in a message about a missing one. */
const NAMED_COLUMNS = 12;

type TakeCells = (cells: readonly string[], row: number) => Promise<void> | boolean | void;

/** Receives the rows of a table. */
export interface RowTaker {
  /** Called with the cells of a row; `false` stops reading. */
  readonly take: TakeCells;
  /** Fast path that gets the bytes of each row first. Rows that it does not take go to `take`. */
  readonly bulk?: LineTaker | undefined;
}

/**
 * Read the rows of a file as text cells.
 *
 * @param begin receives the column names and the delimiter
 * @throws UnskewError FILE in one line
 */
export async function readCsv(
  path: string,
  { maxRowBytes, onProgress, columns }: ReadCsvOptions,
  begin: (names: readonly string[], form: CsvForm) => RowTaker,
): Promise<void> {
  const chunks = await openChunks(path);
  try {
    const first = await chunks.next();
    const stated = statedDelimiter(first);
    const delimiter = stated ?? delimiterOf(path, first);
    const form = {
      delimiter,
      escape: escapeOf(first, delimiter),
    };
    const rows = new FileRows(path, {
      ...form,
      isOfExcel: stated !== undefined,
      maxRowBytes,
      begin: (names) => begin(names, form),
    });
    if (columns !== undefined) rows.begin(columns);
    for (let chunk = first; chunk !== undefined; chunk = await chunks.next()) {
      onProgress?.(chunks.bytesRead(), chunks.totalBytes);
      if (!(await rows.take(chunk))) return;
    }
    await rows.end();
  } finally {
    await chunks.close();
  }
}

interface FileRowsOptions extends CsvForm {
  /** Whether the first row is Excel's `sep=;`, which states the delimiter. */
  readonly isOfExcel: boolean;
  readonly maxRowBytes: number;
  readonly begin: (names: readonly string[]) => RowTaker;
}

/** Splits the chunks of a file into rows; an incomplete row is completed by the next chunk. */
class FileRows {
  readonly #rows: CsvRows;
  #taker: RowTaker | undefined;
  #width = 0;
  #row = 0;
  #rest: Buffer = Buffer.alloc(0);
  /** Position of `#rest` in the file, bytes. */
  #before = 0;

  constructor(
    private readonly path: string,
    private readonly options: FileRowsOptions,
  ) {
    this.#rows = new CsvRows(options);
  }

  begin(names: readonly string[]): void {
    this.#width = names.length;
    this.#taker = this.options.begin(names);
  }

  /** Deliver the rows that a chunk completes. @returns whether to continue reading */
  async take(chunk: Uint8Array): Promise<boolean> {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const start = this.#before === 0 ? markLength(bytes) : 0;
    const at = await this.#takeRows(bytes, start, false);
    if (at < 0) return false;
    this.#rest = bytes.subarray(at);
    this.#before += at;
    if (this.#rest.length > this.options.maxRowBytes) throw this.#tooLong();
    return true;
  }

  async end(): Promise<void> {
    const at = await this.#takeRows(this.#rest, 0, true);
    if (at >= 0 && this.#taker === undefined) throw refused(this.path, 'it is empty');
  }

  /** Deliver complete rows. @returns start of the first incomplete row; −1 to stop reading */
  async #takeRows(bytes: Buffer, start: number, isLast: boolean): Promise<number> {
    const end = isLast ? bytes.length : bytes.lastIndexOf(LF) + 1;
    if (!isUtf8(bytes.subarray(0, end))) {
      const known = this.#before + (isLast && isCut(bytes) ? bytes.length : 0);
      throw refused(
        this.path,
        `it is not valid UTF-8 after byte ${known}: convert it, for example with iconv -f WINDOWS-1252 -t UTF-8`,
      );
    }
    let bulk: LineTaker | undefined;
    let at = start;
    while (at < end) {
      if (bulk === undefined && this.#taker?.bulk !== undefined) {
        bulk = this.#taker.bulk;
        bulk.load(bytes);
      }
      if (bulk !== undefined) {
        at = bulk.take(at);
        this.#row += bulk.lines;
        if (bulk.pending !== undefined) {
          await bulk.pending;
          continue;
        }
        if (at >= end) break;
      }
      const next = this.#next(bytes, at, isLast);
      if (next < 0) break;
      if (next - at > this.options.maxRowBytes) throw this.#tooLong();
      this.#row++;
      at = next;
      const answer = this.#takeCells(this.#rows.cells);
      if (answer === false) return -1;
      if (typeof answer === 'object') {
        await answer;
      }
    }
    return at;
  }

  #next(bytes: Buffer, at: number, isLast: boolean): number {
    try {
      return this.#rows.next(bytes, at, isLast);
    } catch (error) {
      if (!(error instanceof CsvFault)) throw error;
      throw refused(this.path, `row ${this.#row + 1}: ${error.message}`);
    }
  }

  #takeCells(cells: readonly string[]): ReturnType<TakeCells> {
    const isOfExcel = this.#row === 1 && this.options.isOfExcel;
    if (isOfExcel || (cells.length === 1 && cells[0] === '')) return undefined;
    if (this.#taker === undefined) {
      this.begin(soundNames(this.path, cells));
      return undefined;
    }
    if (cells.length !== this.#width) {
      throw refused(
        this.path,
        `row ${this.#row} has ${cells.length} cells, expected ${this.#width}`,
      );
    }
    return this.#taker.take(cells, this.#row);
  }

  #tooLong(): UnskewError {
    const { maxRowBytes } = this.options;
    return refused(this.path, `row ${this.#row + 1} is longer than ${maxRowBytes} bytes`);
  }
}

const LF = 0x0a;

/** Whether bytes are valid UTF-8, except for an incomplete character at their end. */
function isCut(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Length of the UTF-8 byte order mark at the start of a file, bytes; 0 if there is none. */
function markLength(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

const DELIMITERS = [',', ';', '\t', '|', '::'] as const;

/** Delimiter stated by a first line `sep=;`, as written by Excel. */
function statedDelimiter(first: Uint8Array | undefined): string | undefined {
  const text = new TextDecoder().decode(first?.subarray(0, LONGEST_STATED));
  return /^"?sep=([,;|\t])"?\r?\n/.exec(text)?.[1];
}

const LONGEST_STATED = 16;

/** The most frequent delimiter in the first row. */
function delimiterOf(path: string, first: Uint8Array | undefined): string {
  if (/\.(tsv|tab)(\.(gz|zst))?$/i.test(path)) return '\t';
  const text = new TextDecoder().decode(first?.subarray(0, MOST_NAMES_BYTES));
  const [line = ''] = text.replace(/"[^"]*"/g, '').split('\n', 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string;
}

/**
 * Character that stands before a quote inside a cell: another quote, or a backslash as in Spark,
 * Hadoop and MySQL. A table uses backslashes if a backslash and a quote occur anywhere but at the
 * end of a cell.
 */
function escapeOf(first: Uint8Array | undefined, delimiter: string): string {
  const text = new TextDecoder().decode(first);
  // There may be spaces between the end of a cell and the delimiter.
  const isOfBackslash = [...text.matchAll(/\\" *(?=[^ "\r\n])/g)].some(
    ({ index, 0: found }) => !text.startsWith(delimiter, index + found.length),
  );
  return isOfBackslash ? '\\' : '"';
}

/** The delimiter is searched in at most this many bytes of the first row. */
const MOST_NAMES_BYTES = 65_536;

/** Matches the type that RecBole appends to a column name: `:token` in `user_id:token`. */
const TYPED_NAME = /:(token|float)(_seq)?$/;
/**
 * Matches a cell that is a number or a time, so its row does not have column names. Numbers of few
 * digits do not match, since a column may have such a name.
 */
const LIKE_A_VALUE = /^\s*[-+]?(?=.*(\d{5}|\d[.:-]\d))\d[\d.,:;/TZ +-]*$/;

/**
 * Check the column names of the first row, and remove the types that RecBole appends.
 *
 * @throws UnskewError FILE if the first row has values instead of names, or a repeated name
 */
function soundNames(path: string, given: readonly string[]): readonly string[] {
  const names = given.every((name) => TYPED_NAME.test(name))
    ? given.map((name) => name.replace(TYPED_NAME, ''))
    : given;
  const value = names.find((name) => LIKE_A_VALUE.test(name));
  if (value !== undefined) {
    throw refused(
      path,
      `its first row has values (${value.trim()}) instead of column names: add a row of column names, or name the columns in the mapping (columns: [user, item, …])`,
    );
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw refused(path, `it has two columns named ${JSON.stringify(twice)}`);
  }
  return names;
}

function refused(path: string, why: string): UnskewError {
  return new UnskewError('FILE', `cannot read ${path}: ${why}`);
}
