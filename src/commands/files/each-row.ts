import { type RowReading, readCsv, readCsvEvents } from '../../adapters/files/csv-events.js';
import { formOf } from '../../adapters/files/file-form.js';
import { readLines } from '../../adapters/files/lines.js';
import { pathColumns } from '../../adapters/files/path-columns.js';
import { UnskewError } from '../../errors.js';
import { guessedCell, jsonOrCell } from '../../events/cells.js';
import type { EventFields } from '../../events/found.js';
import { parseJson } from '../../events/json-parse.js';

const MOST_ROW_BYTES = 2 ** 20;

/**
 * Read a whole file as JSON events before mapping, whatever its format. This is an extra pass over
 * the file.
 *
 * @throws UnskewError FILE if it cannot be read, USAGE for standard input, which can be read once
 */
export async function eachRow(
  path: string,
  reading: RowReading,
  take: (event: EventFields) => void,
): Promise<void> {
  if (path === '-') {
    throw new UnskewError(
      'USAGE',
      'standard input has events whose value is null. unskew would have to read it twice to know whether other events have a value: pass a file instead',
    );
  }
  switch (await formOf(path)) {
    case 'parquet': {
      const { EventTable } = await import('../../adapters/parquet/event-table.js');
      const table = await EventTable.open(path, reading);
      try {
        for (const group of table.groups.keys()) {
          for await (const event of table.events(group)) {
            take(event);
          }
        }
      } finally {
        await table.close();
      }
      return;
    }
    case 'table':
      return readCsvEvents(path, reading, { maxRowBytes: MOST_ROW_BYTES }, take);
    case 'lines': {
      const bulk = new BulkLines();
      return readLines(path, (bytes, start, end) => {
        if (bulk.isAction(bytes, start, end)) return;
        const event = bulk.document(bytes, start, end) ?? parsed(bytes.subarray(start, end));
        if (event !== undefined) {
          take(event);
        }
      });
    }
  }
}

/** First rows of a file, and its number of rows if known. */
export interface SampledRows {
  /** Rows as JSON; lines of a file that are not JSON are unchanged. */
  readonly rows: readonly string[];
  readonly total: number;
}

/**
 * Read the first rows of a file in an unknown format.
 *
 * @param most number of rows to read
 * @param columns column names of a table without a header row
 * @throws UnskewError FILE if it cannot be read
 */
export async function sampleRows(
  path: string,
  most: number,
  columns?: readonly string[],
): Promise<SampledRows> {
  const rows: string[] = [];
  switch (await formOf(path)) {
    case 'parquet': {
      const { sampleTable } = await import('../../adapters/parquet/event-table.js');
      const { rows: found, total } = await sampleTable(path, most);
      const plain = found.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, cell]) => [name, jsonOrCell(cell)] as const),
        ),
      );
      return {
        rows: plain.map((row) => JSON.stringify(row)),
        total,
      };
    }
    case 'table': {
      const ofPath = Object.fromEntries(pathColumns(path));
      await readCsv(
        path,
        {
          maxRowBytes: MOST_ROW_BYTES,
          columns,
        },
        (names, { delimiter }) => ({
          take: (cells) => {
            const row = names.flatMap((column, at) => {
              const text = cells[at] as string;
              return text === ''
                ? []
                : [[column, guessedCell(column, text, delimiter === ';')] as const];
            });
            rows.push(
              JSON.stringify({
                ...ofPath,
                ...Object.fromEntries(row),
              }),
            );
            return rows.length < most;
          },
        }),
      );
      break;
    }
    case 'lines':
      await sampleLines(path, most, rows);
      break;
  }
  return {
    rows,
    total: rows.length,
  };
}

async function sampleLines(path: string, most: number, rows: string[]): Promise<void> {
  const bulk = new BulkLines();
  const enough = new Error();
  await readLines(path, (bytes, start, end) => {
    if (rows.length === most) throw enough;
    if (bulk.isAction(bytes, start, end)) return;
    const document = bulk.document(bytes, start, end);
    const text = document
      ? JSON.stringify(document)
      : new TextDecoder().decode(bytes.subarray(start, end));
    if (text.trim() !== '') {
      rows.push(text);
    }
  }).catch((error: unknown) => {
    if (error !== enough) throw error;
  });
}

const ACTION_LINE = /^\s*\{\s*"(index|create)"\s*:/;

/** Reads OpenSearch's bulk format: an action line, then a line with its document. */
export class BulkLines {
  #action: EventFields | undefined;

  isAction(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#action !== undefined) return false;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(end - start, 32));
    if (!ACTION_LINE.test(text.toString('latin1'))) return false;
    const found = parsed(bytes.subarray(start, end));
    const [action] = Object.values(found ?? {});
    if (Object.keys(found ?? {}).length !== 1 || typeof action !== 'object') return false;
    this.#action = action as EventFields;
    return true;
  }

  /**
   * Parse a line as the document of the action line before it. The result also has the index and id
   * of the action, as a search result does. It is undefined if the line before is not an action
   * line.
   */
  document(bytes: Uint8Array, start: number, end: number): EventFields | undefined {
    const action = this.#action;
    this.#action = undefined;
    const source = action && parsed(bytes.subarray(start, end));
    return (
      source && {
        ...action,
        _source: source,
      }
    );
  }
}

function parsed(bytes: Uint8Array): EventFields | undefined {
  try {
    const found = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const isObject = typeof found === 'object' && found !== null && !Array.isArray(found);
    return isObject ? (found as EventFields) : undefined;
  } catch {
    return undefined;
  }
}
