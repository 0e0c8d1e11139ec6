import { ActionWorths } from './action-worths.js';
import type { ColumnArray, ColumnTable } from './column-table.js';
import { EXPOSURE, ExposureColumns, INTERACTION, InteractionColumns, REQUEST } from './columns.js';
import type { DecoderOptions } from './decode.js';
import type { EventBatch, EventTables } from './draft.js';
import { FIELDS, type Field, MAX_LIST_LENGTH } from './field.js';
import { hashBytes, hashView } from './hash.js';
import type { EventRole } from './parse.js';
import { MARGIN, type ScannerProgram, scannerProgram } from './scanner-program.js';

/** Columns begin at whole multiples of it. */
const ALIGNED = 64;

/**
 * Takes the lines of a file that are sound events in plain form, as many at a time as there are, and
 * leaves the others to the decoder, whose word is final. Rows and numbers of ids are what they would
 * be had the decoder taken every line: a property test holds the two to the same answer.
 *
 * @example
 * const tables = { users: new Interner(), items: new Interner(), models: new Interner() };
 * const scanner = new LineScanner(tables, { maxEventBytes: 1e6, latestTs: 1e13 });
 * const line = '{"type":"interaction","id":"c","ts":1,"user":"u","item":"i"}';
 * scanner.load(new TextEncoder().encode(`${line}\nno event\n`));
 * scanner.take(0); // 61
 */
export class LineScanner {
  /** How many lines were taken last, blank ones included. */
  lines = 0;
  /** The decoder adds its events to them too, while they are not full. */
  readonly columns: EventBatch;
  readonly #options: LineScannerOptions;
  readonly #tables: readonly (EventTables['users'] | undefined)[];
  #scanner: ScannerProgram;
  #rowForm: RowForm | undefined;
  #columnsIn: ArrayBuffer | undefined;
  #input = 0;
  #room = 0;
  #end = 0;
  #rows = 0;
  #listed = 0;
  #bytes = new Uint8Array(0);
  #view = new DataView(new ArrayBuffer(0));

  /** Whether all that events are asked for is what the scanner knows. */
  static knows(options: DecoderOptions): boolean {
    const { mapping, pseudonyms, ratings, segments = [], framed } = options;
    return [mapping, pseudonyms, ratings, segments[0], framed].every(
      (asked) => asked === undefined,
    );
  }

  constructor({ users, items, models, actions }: EventTables, options: LineScannerOptions) {
    this.#options = options;
    const worths = options.worthOf && new ActionWorths(options.worthOf, options.earning);
    this.#tables = [users, items, models, actions ?? worths];
    this.#scanner = this.#started();
    this.columns = {
      interactions: new InteractionColumns(0),
      exposures: new ExposureColumns(0, 0),
    };
    this.#attach();
  }

  get isFull(): boolean {
    const { interactions, exposures } = this.columns;
    return (
      interactions.length + exposures.length >= this.#rows ||
      exposures.listStart[exposures.length] > this.#listed
    );
  }

  /** Forgets the numbers of ids, which may be those of others; the columns are empty then. */
  forgetIds(): void {
    this.#scanner = this.#started();
    this.#room = 0;
    this.#end = 0;
    this.#attach();
    this.#beginRows();
  }

  /**
   * The chunks that follow are rows of a table.
   *
   * @returns whether they can be taken; chunks are lines of JSON again after `ofLines`
   */
  ofRows(form: RowForm): boolean {
    if (!DELIMITERS.has(form.delimiter) || form.escape !== '"') return false;
    if (form.names.length > this.#scanner.MOST_COLUMNS.value) return false;
    this.#rowForm = form;
    this.#beginRows();
    return true;
  }

  ofLines(): void {
    this.#rowForm = undefined;
  }

  /** Another chunk of the file. */
  load(chunk: Uint8Array): void {
    this.#end = chunk.lastIndexOf(0x0a) + 1;
    if (this.#end > this.#room) {
      // Room is never given back.
      this.#room = 2 ** Math.ceil(Math.log2(chunk.length));
      this.#input = this.#scanner.alloc(this.#room + MARGIN);
    }
    this.#attach();
    this.#bytes.set(chunk.subarray(0, this.#end), this.#input);
  }

  /**
   * Takes the lines that begin at `start` of the chunk and end in it.
   *
   * @returns where the first line begins that is not taken: it is the decoder's, or the columns are full
   */
  take(start: number): number {
    this.lines = 0;
    if (start >= this.#end) return start;
    const { interactions, exposures } = this.columns;
    this.#scanner.setLengths(interactions.length, exposures.length);
    const [from, end] = [this.#input + start, this.#input + this.#end];
    const isTable = this.#rowForm !== undefined;
    const at =
      (isTable ? this.#scanner.scanRows(from, end) : this.#scanner.scan(from, end)) - this.#input;
    this.#attach();
    this.lines = this.#scanner.lines.value;
    interactions.length = this.#scanner.interactions.value;
    exposures.length = this.#scanner.exposures.value;
    return at;
  }

  #started(): ScannerProgram {
    const scanner = scannerProgram((...id) => this.#intern(...id));
    const { maxEventBytes, latestTs } = this.#options;
    // To ask the program takes longer than to decode a row of a table.
    this.#rows = scanner.ROWS.value;
    this.#listed = scanner.LISTED.value;
    scanner.begin(secret(), maxEventBytes, latestTs, this.#tables[3] !== undefined);
    return scanner;
  }

  #beginRows(): void {
    if (this.#rowForm === undefined) return;
    const { names, delimiter, role } = this.#rowForm;
    this.#look();
    const fields = names.map((name) => FIELDS.indexOf(name as Field) & UNKNOWN_FIELD);
    this.#bytes.set(fields, this.#scanner.columnFields.value);
    this.#scanner.beginRows(names.length, delimiter.charCodeAt(0), ROLES.indexOf(role));
  }

  #intern(table: number, start: number, end: number): number {
    this.#look();
    const hash = hashView(this.#view, start, end);
    return this.#tables[table]!.intern(this.#bytes, start, end, hash, this.#view);
  }

  /** Memory that grows is another buffer. */
  #look(): void {
    const { buffer } = this.#scanner.memory;
    if (this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** Lays the columns over the memory as it is now. */
  #attach(): void {
    this.#look();
    const { buffer } = this.#scanner.memory;
    if (this.#columnsIn === buffer) return;
    this.#columnsIn = buffer;
    const rows = this.#rows;
    let at = this.#scanner.columnsAt.value;
    const next = <A extends ColumnArray>(array: ArrayKind<A>, length: number): A => {
      const column = new array(buffer, at, length);
      at += Math.ceil(column.byteLength / ALIGNED) * ALIGNED;
      return column;
    };
    const lay = (table: ColumnTable, columns: object) => {
      for (const [name, { array }] of Object.entries(table)) {
        (columns as Record<string, ColumnArray>)[name] = next(
          array as ArrayKind<ColumnArray>,
          rows,
        );
      }
    };
    const { interactions, exposures } = this.columns;
    lay(INTERACTION, interactions);
    lay(EXPOSURE, exposures);
    lay(REQUEST, exposures.requests);
    const listed = this.#listed + MAX_LIST_LENGTH;
    exposures.listStart = next(Int32Array, rows + 1);
    exposures.items = next(Int32Array, listed);
    exposures.propensities = next(Float32Array, listed);
  }
}

/** Of a table of canonical events: its columns, what stands between cells, and what rows are. */
export interface RowForm {
  readonly names: readonly string[];
  readonly delimiter: string;
  /** The sign before a quote that belongs to a cell. */
  readonly escape: string;
  readonly role: EventRole;
}

const DELIMITERS: ReadonlySet<string> = new Set([',', ';', '\t', '|']);
/** As `rowsAre` of the program has them. */
const ROLES: readonly EventRole[] = ['interactions', 'exposures', 'mixed'];
/** A byte that is the number of no field; that of −1. */
const UNKNOWN_FIELD = 255;

export interface LineScannerOptions {
  readonly maxEventBytes: number;
  /** Events that are later are the decoder's to refuse, ms. */
  readonly latestTs: number;
  /** What actions are worth, for events without a table of actions. */
  readonly worthOf?: Readonly<Record<string, number>> | undefined;
  /** The action that earns in a test. */
  readonly earning?: string | undefined;
}

type ArrayKind<A> = new (buffer: ArrayBuffer, at: number, length: number) => A;

/** From the secret that tables of ids have. */
function secret(): bigint {
  const [first, second] = [1, 2].map((byte) => hashBytes(Uint8Array.of(byte), 0, 1));
  return BigInt.asUintN(64, (BigInt(first) << 32n) ^ BigInt(second));
}
