import { basename } from 'node:path';
import { type RowReading, readCsvEvents } from '../../adapters/files/csv-events.js';
import { formOf, stemOf } from '../../adapters/files/file-form.js';
import type { LineTaker } from '../../adapters/files/line-splitter.js';
import { readLines } from '../../adapters/files/lines.js';
import { Decoder, type DecoderOptions } from '../../events/decode.js';
import type { EventBatch, EventTables } from '../../events/draft.js';
import { ASKS_FOR_VALUES } from '../../events/fault.js';
import type { EventFields, RecordContext } from '../../events/found.js';
import type { RowForm } from '../../events/line-scanner.js';
import type { Mapping } from '../../events/mapping/mapping.js';
import type { EventRole } from '../../events/parse.js';
import { READINGS, type Reading } from '../../events/readings.js';
import { RowDecoder } from '../../events/row-decoder.js';
import { BulkLines, eachRow } from './each-row.js';
import { type RowListOptions, RowLists } from './row-lists.js';

/** Receives decoded events in its columns, and the outcome of each event. */
export interface EventSink {
  readonly tables: EventTables;
  readonly columns: EventBatch;
  /** Events more than `maxFuture` after this time are invalid, ms. */
  readonly referenceTs: number;
  /**
   * Called after each event with its outcome. The outcome is 0 if the event was added to the
   * columns or to a pending list.
   */
  take(code: number, place: () => string, event: ReadEvent): Promise<void> | undefined;
  /** Called after each list assembled from rows, with its outcome. */
  takeList(code: number, event: ReadEvent): Promise<void> | undefined;
  /** Fast path for lines of unmapped events. */
  readonly taker?: LineTaker | undefined;
  /** Returns the fast path for rows of a table of unmapped events; undefined if there is none. */
  readonly rowTaker?: ((form: RowForm) => LineTaker | undefined) | undefined;
  readonly onProgress?: ((path: string, read: number, total: number) => void) | undefined;
}

/** Description of the event read last, for messages. */
export interface ReadEvent {
  readonly detail: string;
  readonly kind: Decoder['kind'];
  readonly eventId: string;
}

export interface FileEventOptions {
  readonly decoder: DecoderOptions;
  readonly maxEventBytes: number;
  /** How rows with one item each form lists; by default as in a log. */
  readonly lists?: RowListOptions | undefined;
}

/** Decoders for all files with the same mapping. */
interface Readers {
  readonly decoder: Decoder;
  readonly rowDecoder: RowDecoder;
  readonly reading: RowReading;
}

/**
 * A file with its decoders. `stem` is the prefix of the ids that are generated for rows without an
 * id.
 */
interface OpenFile extends Readers {
  readonly path: string;
  readonly stem: string;
}

/**
 * Reads event files of any format for all commands. Parquet columns that match fields are decoded
 * without JSON, and lines of unmapped events go to the sink's fast path. Everything else becomes a
 * JSON event. The same validation applies to all.
 */
export class FileEvents {
  readonly #options: FileEventOptions;
  readonly #readers = new Map<Mapping | undefined, Readers>();
  readonly #lists: RowLists;
  /**
   * Actions of the current file whose interactions have a value; undefined until they are needed.
   */
  #valued: ReadonlySet<string> | undefined;
  readonly #cells: number[] = new Array(READINGS.length).fill(0);

  /** @throws UnskewError USAGE if a mapping is wrong */
  constructor(options: FileEventOptions) {
    this.#options = options;
    this.#lists = new RowLists(options.lists ?? DEFAULT_LISTS);
    this.#readersOf(options.decoder.mapping);
  }

  /**
   * Number of ambiguous events or cells by the interpretation that was assumed for them, such as
   * `no_zone` for a time without a zone.
   */
  readings(): Readonly<Partial<Record<Reading, number>>> {
    const tallies = [...this.#readers.values()].flatMap(({ decoder, rowDecoder }) => [
      decoder.readings.counts,
      rowDecoder.readings.counts,
    ]);
    const all = [this.#cells, ...tallies];
    const counts = READINGS.map((name, code) => {
      return [name, all.reduce((sum, tally) => sum + (tally[code] ?? 0), 0)] as const;
    });
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** Clear the cached numbers of ids. They are invalid once a table has removed ids. */
  forgetIds(): void {
    for (const { rowDecoder } of this.#readers.values()) {
      rowDecoder.forgetIds();
    }
  }

  /** Whether any lists from rows are pending, so that `flush` is needed. */
  get hasLists(): boolean {
    return !this.#lists.isEmpty;
  }

  /** Whether the mapping of a file makes lists from rows with one item each. */
  hasRowsOfLists(path: string): boolean {
    return this.#open(path).decoder.mapping?.impression !== undefined;
  }

  /**
   * Read a file to its end. Lists from rows are delivered by `flush`, since a list may continue in
   * the next file.
   *
   * @throws UnskewError FILE if it cannot be read
   */
  async read(path: string, sink: EventSink): Promise<void> {
    const file = this.#open(path);
    this.#valued = undefined;
    const { onProgress } = sink;
    const progress = onProgress && ((read: number, total: number) => onProgress(path, read, total));
    switch (await formOf(path)) {
      case 'parquet':
        return this.#readTable(file, sink, progress);
      case 'table': {
        const options = {
          maxRowBytes: this.#options.maxEventBytes,
          onProgress: progress,
        };
        return readCsvEvents(
          path,
          file.reading,
          options,
          (event, role, row) => this.#row(file, event, role, row, row - 1, sink),
          sink.rowTaker,
        );
      }
      case 'lines':
        return this.#readLines(file, sink, progress);
    }
  }

  /** Deliver the lists assembled from rows. */
  async flush(sink: EventSink): Promise<void> {
    if (this.#lists.isEmpty) return;
    const { decoder } = this.#readersOf(this.#options.decoder.mapping);
    const { referenceTs, tables, columns } = sink;
    for (const event of this.#lists.take()) {
      const fields = event as unknown as EventFields;
      const code = decoder.decodeList(fields, referenceTs, tables, columns);
      const pending = sink.takeList(code, decoder);
      if (pending !== undefined) {
        await pending;
      }
    }
  }

  #open(path: string): OpenFile {
    const { mapping, files = {} } = this.#options.decoder;
    const named = Object.keys(files).find((pattern) => fits(path, pattern));
    const own = named === undefined ? mapping : files[named];
    return {
      ...this.#readersOf(own),
      path,
      stem: stemOf(path).slice(-LONGEST_STEM),
    };
  }

  #readersOf(mapping: Mapping | undefined): Readers {
    const known = this.#readers.get(mapping);
    if (known !== undefined) return known;
    const { mapping: _, files: __, ...rest } = this.#options.decoder;
    const options: DecoderOptions = {
      ...rest,
      ...(mapping && { mapping }),
      takePart: (fields, ts, part) => this.#lists.add(fields, ts, part),
    };
    const decoder = new Decoder(options);
    const rowDecoder = new RowDecoder(options);
    const areValued = (action: string) => this.#valued?.has(action);
    decoder.areValued = areValued;
    rowDecoder.areValued = areValued;
    const reading: RowReading = {
      mapping: decoder.mapping,
      dimensions: rest.segments,
      note: (name) => {
        this.#cells[READINGS.indexOf(name)]!++;
      },
    };
    const readers = {
      decoder,
      rowDecoder,
      reading,
    };
    this.#readers.set(mapping, readers);
    return readers;
  }

  async #readTable(
    file: OpenFile,
    sink: EventSink,
    onProgress: ((read: number, total: number) => void) | undefined,
  ): Promise<void> {
    const { path, stem, rowDecoder, reading } = file;
    const { EventTable } = await import('../../adapters/parquet/event-table.js');
    const table = await EventTable.open(path, reading);
    const total = table.groups.reduce((sum, { bytes }) => sum + bytes, 0);
    let read = 0;
    let before = 0;
    let row = 0;
    // Made once for all rows: most rows do not call it.
    const place = () => `${path}:${before + row + 1}`;
    const found: ReadEvent = {
      get detail() {
        return rowDecoder.detail;
      },
      get kind() {
        return rowDecoder.kind;
      },
      get eventId() {
        return rowDecoder.eventId(row);
      },
    };
    const { referenceTs, tables, columns } = sink;
    try {
      for (const [group, { bytes }] of table.groups.entries()) {
        row = 0;
        if (table.isPlain) {
          const rows = await table.read(group);
          const first = before;
          rowDecoder.take(rows, (own) => contextOf(stem, first + own + 1));
          for (; row < rows.length; row++) {
            let code = rowDecoder.decode(row, referenceTs, tables, columns);
            if (code === ASKS_FOR_VALUES) {
              await this.#askForValues(file);
              code = rowDecoder.decode(row, referenceTs, tables, columns);
            }
            const pending = sink.take(code, place, found);
            if (pending !== undefined) {
              await pending;
            }
          }
        } else {
          for await (const event of table.events(group)) {
            const number = before + ++row;
            await this.#row(file, event, table.role, number, number, sink);
          }
        }
        before += table.groups[group]!.rows;
        read += bytes;
        onProgress?.(read, total);
      }
    } finally {
      await table.close();
    }
  }

  /**
   * Decode a row from a JSON event, and report its outcome.
   *
   * @param row number of the row in messages
   * @param number number of the row among the rows with events; the id of a row without one is made
   * from it
   */
  #row(
    { path, stem, decoder, ...rest }: OpenFile,
    event: EventFields,
    role: EventRole,
    row: number,
    number: number,
    sink: EventSink,
  ): Promise<void> | undefined {
    const { referenceTs, tables, columns } = sink;
    const from = contextOf(stem, number);
    const decode = () => decoder.decodeFields(event, role, referenceTs, tables, columns, from);
    const code = decode();
    const place = () => `${path}:${row}`;
    if (code !== ASKS_FOR_VALUES) return sink.take(code, place, decoder);
    return this.#askForValues({
      path,
      stem,
      decoder,
      ...rest,
    }).then(() => sink.take(decode(), place, decoder));
  }

  #readLines(
    file: OpenFile,
    sink: EventSink,
    onProgress: ((read: number, total: number) => void) | undefined,
  ): Promise<void> {
    const { path, stem, decoder } = file;
    const { maxEventBytes: maxLineBytes } = this.#options;
    const bulk = decoder.mapping === undefined ? undefined : new BulkLines();
    const taker = decoder.mapping === undefined ? sink.taker : undefined;
    const { referenceTs, tables, columns } = sink;
    return readLines(
      path,
      (bytes, start, end, line) => {
        if (bulk?.isAction(bytes, start, end)) return undefined;
        const document = bulk?.document(bytes, start, end);
        if (document !== undefined) return this.#row(file, document, 'mixed', line, line, sink);
        const from = contextOf(stem, line);
        const decode = () =>
          decoder.decode(bytes, start, end, 'mixed', referenceTs, tables, columns, undefined, from);
        const code = decode();
        const place = () => `${path}:${line}`;
        if (code !== ASKS_FOR_VALUES) return sink.take(code, place, decoder);
        return this.#askForValues(file).then(() => sink.take(decode(), place, decoder));
      },
      {
        maxLineBytes,
        taker,
        ...(onProgress && { onProgress }),
      },
    );
  }

  /** Read the whole file once to find the actions whose interactions have values. */
  async #askForValues({ path, decoder }: OpenFile): Promise<void> {
    const valued = new Set<string>();
    await eachRow(path, { mapping: decoder.mapping }, (event) => {
      const { value, action } = decoder.mapping?.fieldsOf('interaction', event) ?? event;
      const isThere = [value].flat().some((each) => each !== undefined && each !== null);
      if (isThere) {
        valued.add(typeof action === 'string' ? action : '');
      }
    });
    this.#valued = valued;
  }
}

const DEFAULT_LISTS: RowListOptions = {
  gapMs: 60_000,
  firstPlace: 1,
};

/** Maximum length of `stem` in generated ids, characters, since the length of ids is limited. */
const LONGEST_STEM = 120;

/**
 * Context of a row in the form of a record's context: the file is the topic, and the row's number
 * is the offset.
 */
function contextOf(topic: string, row: number): RecordContext {
  return {
    topic,
    partition: 0,
    offset: String(row),
    key: null,
    headers: {},
  };
}

/** Whether a pattern matches a file by its name, or by the end of its path. */
function fits(path: string, pattern: string): boolean {
  const name = pattern.includes('/') ? path : basename(path);
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`(^|/)${expression}$`).test(name);
}
