import { type FileHandle, open } from 'node:fs/promises';
import {
  type AsyncBuffer,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetRead,
  parquetReadObjects,
  type RowGroup,
} from 'hyparquet';
import { UnskewError } from '../../errors.js';
import { cellReaders, jsonOrCell } from '../../events/cells.js';
import type { EventFields } from '../../events/found.js';
import {
  type CompiledField,
  resolvePointer,
  sourceValue,
  type Tokens,
} from '../../events/mapping/field-source.js';
import type { EventRole } from '../../events/parse.js';
import {
  type ColumnPlan,
  type FieldColumn,
  type FieldColumns,
  ONCE_ONLY,
  type TablePlan,
  type TableRows,
  type TableSource,
  type TextColumn,
  tablePlan,
} from '../../events/table-rows.js';
import { Texts } from '../../events/texts.js';
import { readyZstandard } from '../compression/zstandard.js';
import type { RowReading } from '../files/csv-events.js';
import { fileError } from '../files/file-error.js';
import { unfitColumns } from '../files/needs-mapping.js';
import { partitionCells, pathColumns, withSegments } from '../files/path-columns.js';
import {
  canBeRead,
  decimals,
  instants,
  isReadPlainly,
  levelsOf,
  misfit,
  msOfNanos,
  perMsOf,
  type RootColumn,
  rootColumns,
  unconverted,
} from './column-shapes.js';
import { COMPRESSORS } from './compressors.js';
import { fieldColumn, type RowValues } from './field-columns.js';
import { leafColumn } from './leaf-column.js';
import { isPlainColumn, leafValues } from './leaf-values.js';

/**
 * Maximum total size of the columns to read from one row group, bytes. They are all in memory at
 * once.
 */
const MOST_GROUP_BYTES = 2 ** 30;
/** Maximum size of a file's footer, bytes. */
const MOST_FOOTER_BYTES = 2 ** 26;
/** Number of columns listed in a message about a missing one. */
const NAMED_COLUMNS = 12;

/**
 * Chooses the columns to read, given the names of all columns of a file. Returns an error text if a
 * needed column is missing.
 */
export type OwnPlan = (columns: ReadonlySet<string>) => ColumnPlan | string;

/** A row group of a file. */
export interface TableGroup {
  readonly rows: number;
  /** Size on disk of the columns read, bytes. */
  readonly bytes: number;
}

/**
 * Reads events from a Parquet file, one row group at a time. Only the columns that a mapping uses
 * are read.
 *
 * A text in a column's dictionary is stored once for all of its rows. These columns of a row group
 * are in memory as a whole, so a row group is rejected if they exceed 1 GiB.
 */
export class EventTable {
  readonly groups: readonly TableGroup[];
  /**
   * Whether rows are read as columns, by `read`. Otherwise they are read as JSON events, by
   * `events`.
   */
  readonly isPlain: boolean;
  readonly #columns: ReadonlyMap<string, RootColumn>;
  readonly #plan: ColumnPlan & Partial<TablePlan>;
  readonly #reading: RowReading;
  /** Texts of the current row group. Their buffers are reused for the next row group. */
  readonly #texts = new Map<TableSource, Texts>();

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly metadata: FileMetaData,
    reading: RowReading | OwnPlan,
    mostGroupBytes: number,
  ) {
    this.#columns = rootColumns(metadata);
    const columns = new Set(this.#columns.keys());
    const names = {
      columns,
      partitions: pathColumns(path),
    };
    const isOwn = typeof reading === 'function';
    this.#reading = isOwn ? { mapping: undefined } : reading;
    const plan = isOwn ? reading(columns) : tablePlan(names, reading.mapping);
    if (typeof plan === 'string') {
      const isMapped = isOwn || reading.mapping !== undefined;
      throw unfitColumns(path, `${plan}; ${this.#namedColumns()}`, isMapped);
    }
    this.#plan = plan;
    for (const source of this.#sources()) {
      this.#checkShape(source, isOwn);
    }
    this.isPlain = isOwn || this.#isPlain();
    const read = this.isPlain
      ? new Set(this.#sources().flatMap(({ pointers }) => pointers.map(([name]) => name as string)))
      : new Set(this.#readers().keys());
    this.groups = metadata.row_groups.map((group, g) =>
      this.#sized(group, g, read, mostGroupBytes),
    );
  }

  /**
   * @param reading where the fields of events are; for a table of something else than events, a
   * plan of its columns
   * @throws UnskewError FILE in one line if the file is not a Parquet file or is cut short, if a
   * field has no column or one of an unusable type, or if a row group is too large
   */
  static async open(
    path: string,
    reading: RowReading | OwnPlan,
    mostGroupBytes = MOST_GROUP_BYTES,
  ): Promise<EventTable> {
    const file = await opened(path);
    try {
      return new EventTable(path, file, await footer(path, file), reading, mostGroupBytes);
    } catch (error) {
      await file.close();
      throw fileError('read', path, error);
    }
  }

  /**
   * Read the rows of a group as columns, which are valid until the next call.
   *
   * @throws UnskewError FILE if the row group cannot be read
   */
  async read(group: number): Promise<TableRows> {
    const { kind, exposure, interaction } = this.#plan;
    const length = this.groups[group].rows;
    // Columns that both kinds use are read once.
    const known = new Map<string, FieldColumn>();
    const columnsOf = async (sources: readonly TableSource[] | undefined) => {
      if (sources === undefined) return undefined;
      const columns: FieldColumns = {};
      for (const source of sources) {
        const name = source.computed ? undefined : JSON.stringify(source);
        const before = name === undefined ? undefined : known.get(name);
        const column = before ?? (await this.#column(group, source));
        if (name !== undefined) {
          known.set(name, column);
        }
        columns[source.field] = column;
      }
      return columns;
    };
    const exposures = await columnsOf(exposure);
    const interactions = await columnsOf(interaction);
    return {
      length,
      ...(kind && { kind: (await this.#column(group, kind)) as TextColumn }),
      ...(exposures && { exposure: exposures }),
      ...(interactions && { interaction: interactions }),
    };
  }

  /** Kind of event for rows that do not state their kind. */
  get role(): EventRole {
    return this.#plan.role ?? 'mixed';
  }

  /**
   * Read the rows of a group as JSON events before mapping, like those of CSV.
   *
   * @throws UnskewError FILE if the row group cannot be read
   */
  async *events(group: number): AsyncGenerator<EventFields, void> {
    const { mapping, dimensions = [] } = this.#reading;
    const readers = this.#readers();
    const names = [...readers.keys()].filter((name) => this.#columns.has(name));
    const partitions = pathColumns(this.path);
    const ofPath = partitionCells(partitions, [...this.#columns.keys()], readers);
    const columns: {
      readonly name: string;
      readonly cell: (row: number) => unknown;
    }[] = [];
    for (const name of names) {
      const values = await this.#read(group, name, {}, false);
      const read = readers.get(name) as (cell: unknown) => unknown;
      const decimal = this.#isDecimal([name]);
      columns.push({
        name,
        cell: (row) => read(plainCell(values[row], decimal)),
      });
    }
    for (let row = 0; row < this.groups[group]!.rows; row++) {
      const event: Record<string, unknown> = { ...ofPath };
      for (const { name, cell } of columns) {
        event[name] = cell(row);
      }
      yield withSegments(event, dimensions, mapping);
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }

  #readers(): ReadonlyMap<string, (cell: unknown) => unknown> {
    return cellReaders({
      ...this.#reading,
      areUntyped: false,
    });
  }

  /**
   * Whether every field of events is in a column of the field's type. Rows then need no JSON
   * events.
   */
  #isPlain(): boolean {
    const { isPlain = true, exposure, interaction } = this.#plan;
    const { mapping, dimensions = [] } = this.#reading;
    const kinds = [exposure, interaction].filter((sources) => sources !== undefined);
    const fields = [...(mapping?.fields.exposure ?? []), ...(mapping?.fields.interaction ?? [])];
    const isRead = (source: TableSource) =>
      source.computed !== undefined ||
      source.each !== undefined ||
      source.pointers.every(([name, ...inside]) => {
        return inside.length > 0 || misfit(source.field, this.#columns.get(name!)!) === undefined;
      });
    return (
      isPlain &&
      dimensions.length === 0 &&
      kinds.every((sources) => sources.some(({ field }) => field === 'id')) &&
      fields.every(({ split, record }) => split === undefined && record === undefined) &&
      this.#sources().every(isRead)
    );
  }

  #sources(): readonly TableSource[] {
    const { kind, exposure = [], interaction = [] } = this.#plan;
    return [...(kind === undefined ? [] : [kind]), ...exposure, ...interaction];
  }

  #checkShape({ field, pointers, each, computed }: TableSource, isOwn: boolean): void {
    if (computed !== undefined) return;
    for (const [name, ...inside] of pointers) {
      if (inside.length > 0 || each !== undefined) continue;
      const column = this.#columns.get(name)!;
      const wrong = misfit(field, column);
      if (wrong !== undefined && (isOwn || !canBeRead(field, column))) throw this.#refused(wrong);
    }
  }

  #sized(group: RowGroup, g: number, names: ReadonlySet<string>, most: number): TableGroup {
    let bytes = 0;
    let unpacked = 0;
    for (const { meta_data } of group.columns) {
      if (meta_data === undefined) throw this.#refused(`row group ${g} is encrypted`);
      if (!names.has(meta_data.path_in_schema[0])) continue;
      bytes += Number(meta_data.total_compressed_size);
      unpacked += Number(meta_data.total_uncompressed_size) + 8 * Number(meta_data.num_values);
    }
    if (unpacked > most) {
      const size = (unpacked / 2 ** 30).toFixed(1);
      throw this.#refused(
        `row group ${g} takes ${size} GiB, more than 1 GiB: write the file with smaller row groups`,
      );
    }
    return {
      rows: Number(group.num_rows),
      bytes,
    };
  }

  async #column(group: number, source: TableSource): Promise<FieldColumn> {
    const { field, pointers, each, constant, computed } = source;
    const texts = this.#texts.get(source) ?? new Texts(!ONCE_ONLY.has(field));
    texts.clear();
    this.#texts.set(source, texts);
    const { rows } = this.groups[group];
    const form = {
      texts,
      unit: this.#plan.unit,
      areTexts: false,
      areInstants: false,
    };
    if (constant !== undefined) {
      return fieldColumn(field, new Array(rows).fill(constant), form);
    }
    if (computed !== undefined) {
      const values = await this.#computed(group, computed);
      return fieldColumn(field, values, {
        ...form,
        areInstants: true,
      });
    }
    const [[name, ...inside]] = pointers;
    const { shape } = this.#columns.get(name)!;
    if (pointers.length > 1 || inside.length > 0 || each !== undefined) {
      return fieldColumn(field, await this.#resolved(group, source), form);
    }
    const plain = await this.#plainColumn(group, source, texts);
    if (plain !== undefined) return plain;
    const values = await this.#values(group, name, texts);
    const leafShape = typeof shape === 'string' ? shape : shape.listOf;
    return fieldColumn(field, values, {
      ...form,
      areTexts: leafShape === 'text',
      areInstants: shape === 'timestamps' || shape === 'dates',
    });
  }

  /** Read the column of a field without hyparquet; undefined if that is not possible. */
  async #plainColumn(
    group: number,
    { field, pointers }: TableSource,
    texts: Texts,
  ): Promise<FieldColumn | undefined> {
    const [[name]] = pointers;
    const column = this.#columns.get(name)!;
    const perMs = perMsOf(column);
    if (!isReadPlainly(field, column) || perMs === 'other') return undefined;
    const chunk = this.metadata.row_groups[group].columns.find(
      ({ meta_data }) => meta_data?.path_in_schema[0] === name,
    );
    const meta = chunk?.meta_data;
    if (meta === undefined || !isPlainColumn(meta)) return undefined;
    const { rows } = this.groups[group];
    const { levels, elementLevel } = levelsOf(this.metadata.schema, column);
    try {
      const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
      const end = start + Number(meta.total_compressed_size);
      const bytes = new Uint8Array(await fileSlices(this.file).slice(start, end));
      const leaf = leafValues(bytes, meta, levels, texts);
      if (leaf === undefined) return undefined;
      if (levels.repetition === 0 && leaf.places !== rows) {
        throw new RangeError(`${leaf.places} of ${rows} values`);
      }
      const { unit } = this.#plan;
      return leafColumn(field, leaf, {
        levels,
        elementLevel,
        rows,
        texts,
        perMs,
        unit,
      });
    } catch (error) {
      const { message } = error as Error;
      throw this.#refused(`row group ${group}, column ${name}: it is damaged: ${message}`);
    }
  }

  /** Read the values of a flat column. A text becomes its index in `texts`. */
  async #values(group: number, name: string, texts: Texts): Promise<RowValues> {
    const { leaf, shape } = this.#columns.get(name)!;
    const leafShape = typeof shape === 'string' ? shape : shape.listOf;
    const take = (bytes: Uint8Array) => texts.add(bytes) as unknown as string;
    const parsers: Partial<ParquetParsers> = {
      stringFromBytes: take,
      jsonFromBytes: take,
      uuidFromBytes: (bytes) => texts.addText(uuidText(bytes)) as unknown as string,
      timestampFromNanoseconds: (nanos) => msOfNanos(nanos) as unknown as Date,
    };
    const isRaw = ['timestamps', 'dates', 'decimals'].includes(leafShape as string);
    const values = await this.#read(group, name, parsers, isRaw);
    if (leafShape === 'decimals') return decimals(values, leaf);
    return leafShape === 'timestamps' || leafShape === 'dates' ? instants(values, leaf) : values;
  }

  /**
   * Read the values of a field that are nested in columns. In each row, the first pointer with a
   * value counts.
   */
  async #resolved(group: number, source: TableSource): Promise<RowValues> {
    const { pointers, each } = source;
    const roots = await this.#roots(group, pointers);
    const areDecimals = pointers.map((tokens) => this.#isDecimal([...tokens, ...(each ?? [])]));
    return Array.from({ length: this.groups[group].rows }, (_, row) => {
      for (const [p, [name, ...inside]] of pointers.entries()) {
        const found = resolvePointer(roots.get(name)![row], inside);
        if (found === undefined || found === null) continue;
        const value =
          each === undefined
            ? found
            : Array.isArray(found)
              ? found.map((element) => resolvePointer(element, each))
              : resolvePointer(found, each);
        return areDecimals[p] ? rounded(value) : value;
      }
      return undefined;
    });
  }

  /** Compute a field's values from columns by a mapping's rule, as for a JSON event. */
  async #computed(group: number, field: CompiledField): Promise<RowValues> {
    const roots = await this.#roots(group, field.pointers);
    const isDecimal = field.pointers.some((tokens) => this.#isDecimal(tokens));
    return Array.from({ length: this.groups[group].rows }, (_, row) => {
      const event = Object.fromEntries([...roots].map(([name, values]) => [name, values[row]]));
      const value = sourceValue(field, event, this.#plan.unit);
      return isDecimal ? rounded(value) : value;
    });
  }

  async #roots(
    group: number,
    pointers: readonly Tokens[],
  ): Promise<ReadonlyMap<string, RowValues>> {
    const roots = new Map<string, RowValues>();
    for (const [name, ...inside] of pointers) {
      if (roots.has(name)) continue;
      const values = await this.#read(group, name, {}, false);
      const isText = this.#columns.get(name)!.shape === 'text';
      roots.set(name, isText && inside.length > 0 ? Array.from(values, jsonOrCell) : values);
    }
    return roots;
  }

  #isDecimal(tokens: readonly string[]): boolean {
    const { first, end } = this.#columns.get(tokens[0])!;
    const leaves = this.metadata.schema
      .slice(first, end)
      .filter(({ name, type }) => type !== undefined && name === tokens.at(-1));
    return leaves.length > 0 && leaves.every((leaf) => leaf.converted_type === 'DECIMAL');
  }

  async #read(
    group: number,
    name: string,
    parsers: Partial<ParquetParsers>,
    isRaw: boolean,
  ): Promise<RowValues> {
    const { schema, row_groups } = this.metadata;
    const { first, end, leaf } = this.#columns.get(name)!;
    // INT96 is always a time. Without conversion, its values would be 12 bytes each.
    const isPlain = isRaw && leaf.type !== 'INT96';
    const metadata = {
      ...this.metadata,
      schema: isPlain
        ? schema.map((element, e) =>
            e >= first && e < end && element.type !== undefined ? unconverted(element) : element,
          )
        : schema,
      row_groups: [row_groups[group]],
      num_rows: row_groups[group].num_rows,
    };
    const pieces: RowValues[] = [];
    try {
      await parquetRead({
        file: fileSlices(this.file),
        metadata,
        columns: [name],
        parsers,
        compressors: COMPRESSORS,
        utf8: !isPlain,
        onChunk: ({ columnData }) => pieces.push(columnData),
      });
    } catch (error) {
      throw this.#refused(`row group ${group}, column ${name}: ${(error as Error).message}`);
    }
    const { rows } = this.groups[group];
    const values = pieces.length === 1 ? pieces[0] : pieces.flatMap((piece) => Array.from(piece));
    if (values.length < rows) {
      const found = `${values.length} of ${rows} values`;
      throw this.#refused(`row group ${group}, column ${name} has ${found}: the file is damaged`);
    }
    return values;
  }

  #refused(why: string): UnskewError {
    return new UnskewError('FILE', `cannot read ${this.path}: ${why}`);
  }

  #namedColumns(): string {
    const names = [...this.#columns.keys()];
    const more = names.length - NAMED_COLUMNS;
    const shown = names.slice(0, NAMED_COLUMNS).join(', ').slice(0, 300);
    return `its columns are ${shown}${more > 0 ? ` and ${more} more` : ''}`;
  }
}

/**
 * Read the first `most` rows of a file as objects, including columns from its path.
 *
 * @throws UnskewError FILE in one line if it is not a Parquet file, or is damaged
 */
export async function sampleTable(
  path: string,
  most: number,
): Promise<{
  readonly rows: readonly object[];
  readonly total: number;
}> {
  const file = await opened(path);
  try {
    const metadata = await footer(path, file);
    const total = Number(metadata.num_rows);
    const rowEnd = Math.min(most, total);
    const asked = {
      file: fileSlices(file),
      metadata,
      compressors: COMPRESSORS,
    };
    const rows = await parquetReadObjects({
      ...asked,
      rowStart: 0,
      rowEnd,
    });
    const ofPath = Object.fromEntries(pathColumns(path));
    const plain = (row: object) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, plainCell(value, false)]),
      );
    return {
      rows: rows.map((row) => ({
        ...ofPath,
        ...plain(row),
      })),
      total,
    };
  } catch (error) {
    throw fileError('read', path, error);
  } finally {
    await file.close();
  }
}

function opened(path: string): Promise<FileHandle> {
  return open(path, 'r').catch((error: unknown) => {
    throw fileError('read', path, error);
  });
}

/** Read a file's footer, and load the decompressors of its pages. */
async function footer(path: string, file: FileHandle): Promise<FileMetaData> {
  const { size } = await file.stat();
  const slices = {
    ...fileSlices(file),
    byteLength: size,
  };
  const tail = new DataView(await slices.slice(Math.max(0, size - 8), size));
  const isParquet = size >= 12 && tail.getUint32(4, true) === 0x31524150;
  if (!isParquet) {
    throw new UnskewError(
      'FILE',
      `cannot read ${path}: it is not a Parquet file, or was cut short`,
    );
  }
  const length = tail.getUint32(0, true);
  if (length > Math.min(MOST_FOOTER_BYTES, size - 12)) {
    const why =
      length > size - 12
        ? 'it is damaged: its footer is longer than the file'
        : 'its footer takes more than 64 MiB';
    throw new UnskewError('FILE', `cannot read ${path}: ${why}`);
  }
  const options = { geoparquet: false };
  const metadata = await parquetMetadataAsync(slices, options).catch((error: unknown) => {
    const why = `it is damaged: ${(error as Error).message}`;
    throw new UnskewError('FILE', `cannot read ${path}: ${why}`);
  });
  const columns = metadata.row_groups.flatMap((group) => group.columns);
  if (columns.some(({ meta_data }) => meta_data?.codec === 'ZSTD')) {
    await readyZstandard();
  }
  return metadata;
}

function fileSlices(file: FileHandle): AsyncBuffer {
  return {
    byteLength: Number.MAX_SAFE_INTEGER,
    async slice(start, end = start) {
      const bytes = new Uint8Array(end - start);
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
        if (bytesRead === 0) throw new Error('it ends too early');
        at += bytesRead;
      }
      return bytes.buffer;
    },
  };
}

/** Round to 15 significant digits, which removes the error of a decimal as a double. */
function rounded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rounded);
  return typeof value === 'number' ? Number(value.toPrecision(15)) : value;
}

/** Convert a value to one that JSON has: NaN becomes null, and a time becomes text. */
function plainCell(value: unknown, isDecimal: boolean): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return null;
    return isDecimal ? rounded(value) : value;
  }
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = Array.from(value as ArrayLike<unknown>, (each) => plainCell(each, isDecimal));
    return pairsOf(list) ?? list;
  }
  if (typeof value !== 'object') return value;
  const own = Object.entries(value).map(([name, each]) => [name, plainCell(each, isDecimal)]);
  return Object.fromEntries(own);
}

/** Convert a list of keys and values to an object; undefined for any other list. */
function pairsOf(list: readonly unknown[]): object | undefined {
  const isPair = (
    each: unknown,
  ): each is {
    key: unknown;
    value: unknown;
  } => typeof each === 'object' && each !== null && Object.keys(each).join() === 'key,value';
  if (list.length === 0 || !list.every(isPair)) return undefined;
  return Object.fromEntries(list.map(({ key, value }) => [String(key), value]));
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
