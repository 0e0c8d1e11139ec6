import { pipeline } from 'node:stream';
import { CsvError, Parser } from 'csv-parse';
import { UnskewError } from '../../errors.js';
import { cellReaders } from '../../events/csv-cells.js';
import type { EventFields } from '../../events/found.js';
import type { CompiledMapping } from '../../events/mapping/mapping.js';
import type { EventRole } from '../../events/parse.js';
import { tablePlan } from '../../events/table-rows.js';
import { type FileChunks, openChunks } from './file-chunks.js';
import { pathColumns } from './path-columns.js';

/** Whether a file is read as CSV: its name says so. */
export function isCsv(path: string): boolean {
  return /\.csv(\.gz)?$/i.test(path);
}

interface ReadCsvOptions {
  /** A longer row ends the reading. */
  readonly maxRowBytes: number;
  /** Bytes read of the file as it lies on the disk, and its size. */
  readonly onProgress?: ((readBytes: number, totalBytes: number) => void) | undefined;
}

/** A row as an event of JSON that a mapping still has to read; rows count from 1, the names' row included. */
type TakeEvent = (event: EventFields, role: EventRole, row: number) => Promise<void> | void;

/**
 * Reads a file of comma-separated values (RFC 4180), a row of names first, as events: cells of the
 * columns that fields come from, by what these hold. An empty cell is absent.
 *
 * @throws UnskewError FILE in one line for what is no such table, or has no column for a field
 */
export async function readCsvEvents(
  path: string,
  mapping: CompiledMapping | undefined,
  { maxRowBytes, onProgress }: ReadCsvOptions,
  take: TakeEvent,
): Promise<void> {
  const readers = cellReaders(mapping);
  const partitions = pathColumns(path);
  let columns: { readonly at: number; readonly name: string }[] = [];
  const ofPath: Record<string, unknown> = {};
  let role: EventRole = 'mixed';
  await readCsv(path, { maxRowBytes, onProgress }, (names) => {
    const plan = tablePlan({ columns: new Set(names), partitions }, mapping);
    if (typeof plan === 'string') {
      const known = names.slice(0, NAMED_COLUMNS).join(', ').slice(0, 300);
      throw refused(path, `${plan}; its columns are ${known}`);
    }
    if (plan.kind === undefined) role = plan.exposure === undefined ? 'interactions' : 'exposures';
    columns = names.flatMap((name, at) => (readers.has(name) ? [{ at, name }] : []));
    for (const [name, text] of partitions) {
      const read = names.includes(name) ? undefined : readers.get(name);
      if (read !== undefined) ofPath[name] = read(text);
    }
    return (cells, row) => {
      const event: Record<string, unknown> = { ...ofPath };
      for (const { at, name } of columns) {
        const text = cells[at];
        if (text !== '') event[name] = readers.get(name)!(text);
      }
      return take(event, role, row);
    };
  });
}

/** Columns that are named where one is missing. */
const NAMED_COLUMNS = 12;

type TakeCells = (cells: readonly string[], row: number) => Promise<void> | boolean | void;

/**
 * Reads the rows of a file whose cells are all text.
 *
 * @param begin takes the names, and gives what takes the cells of each row; `false` ends the reading
 * @throws UnskewError FILE in one line
 */
export async function readCsv(
  path: string,
  { maxRowBytes, onProgress }: ReadCsvOptions,
  begin: (names: readonly string[]) => TakeCells,
): Promise<void> {
  const chunks = await openChunks(path);
  const parser = new Parser({
    bom: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: maxRowBytes,
  });
  let row = 0;
  let width = 0;
  let takeCells: TakeCells | undefined;
  // What goes wrong comes out of the iteration over the rows.
  pipeline(bytesOf(path, chunks, onProgress), parser, () => {});
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      row++;
      if (cells.length === 1 && cells[0] === '') continue;
      if (takeCells === undefined) {
        width = cells.length;
        takeCells = begin(soundNames(path, cells));
        continue;
      }
      if (cells.length !== width) {
        throw refused(path, `row ${row} has ${cells.length} cells, expected ${width}`);
      }
      const answer = takeCells(cells, row);
      if (answer === false) break;
      if (typeof answer === 'object') await answer;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, records = row } = error as CsvError & { readonly records?: number };
    throw refused(path, `row ${records + 1}: ${faults(maxRowBytes)[code] ?? error.message}`);
  } finally {
    parser.destroy();
    await chunks.close();
  }
  if (takeCells === undefined) throw refused(path, 'it is empty');
}

const faults = (maxRowBytes: number): Readonly<Record<string, string>> => ({
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quote',
  INVALID_OPENING_QUOTE: 'a quote stands within a cell that does not begin with one',
  CSV_MAX_RECORD_SIZE: `it is longer than ${maxRowBytes} bytes`,
});

function soundNames(path: string, names: readonly string[]): readonly string[] {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw refused(path, `its column ${JSON.stringify(twice)} is there twice`);
  return names;
}

/** @throws UnskewError FILE for what is no UTF-8 */
async function* bytesOf(
  path: string,
  chunks: FileChunks,
  onProgress: ReadCsvOptions['onProgress'],
): AsyncGenerator<Uint8Array, void> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let at = 0;
  const check = (chunk?: Uint8Array) => {
    try {
      utf8.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw refused(path, `behind byte ${at} it is no well-formed UTF-8`);
    }
  };
  for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
    onProgress?.(chunks.bytesRead(), chunks.totalBytes);
    check(chunk);
    at += chunk.length;
    // The parser keeps what of it ends no row.
    yield Uint8Array.from(chunk);
  }
  check();
}

function refused(path: string, why: string): UnskewError {
  return new UnskewError('FILE', `cannot read ${path}: ${why}`);
}
