import { ActionWorths } from './action-worths.js';
import type { ColumnArray, ColumnTable } from './column-table.js';
import { EXPOSURE, ExposureColumns, INTERACTION, InteractionColumns, REQUEST } from './columns.js';
import type { DecoderOptions } from './decode.js';
import type { EventBatch, EventTables } from './draft.js';
import { FIELDS, type Field, MAX_LIST_LENGTH } from './field.js';
import { hashBytes, hashView } from './hash.js';
import type { EventRole } from './parse.js';
import { MARGIN, type ScannerProgram, scannerProgram } from './scanner-program.js';

/** Alignment of columns, bytes. */
const ALIGNED = 64;

/**
 * Decodes lines of a file that are valid events in plain form, up to the first line that is not.
 * The decoder, which is authoritative, reads that line. Rows and id numbers are the same as if the
 * decoder had read every line.
 *
 * @example
 * const tables = { users: new Interner(), items: new Interner(), models: new Interner() };
 * const scanner = new LineScanner(tables, { maxEventBytes: 1e6, latestTs: 1e13 });
 * const line = '{"type":"interaction","id":"c","ts":1,"user":"u","item":"i"}';
 * scanner.load(new TextEncoder().encode(`${line}\nno event\n`));
 * scanner.take(0); // 61
 */
export class LineScanner {
  /** Number of lines that the last call of `take` decoded, including blank ones. */
  lines = 0;
  /** Columns, to which the decoder also appends its events. */
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

  /** Whether the scanner supports all options of the decoder. */
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

  /**
   * Forget the numbers of all ids, since the tables may have reused numbers. The columns must be
   * empty.
   */
  forgetIds(): void {
    this.#scanner = this.#started();
    this.#room = 0;
    this.#end = 0;
    this.#attach();
    this.#beginRows();
  }

  /**
   * Read rows of a table from the next chunk on; `ofLines` switches back to lines of JSON.
   *
   * @returns false if the scanner does not support tables of this form
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

  /** Load the next chunk of the file. */
  load(chunk: Uint8Array): void {
    this.#end = chunk.lastIndexOf(0x0a) + 1;
    if (this.#end > this.#room) {
      // The program never frees memory.
      this.#room = 2 ** Math.ceil(Math.log2(chunk.length));
      this.#input = this.#scanner.alloc(this.#room + MARGIN);
    }
    this.#attach();
    this.#bytes.set(chunk.subarray(0, this.#end), this.#input);
  }

  /**
   * Decode lines of the chunk from `start` on.
   *
   * @returns start of the first line not decoded: it needs the decoder, or the columns are full
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
    // Cached, since reading them from the program takes longer than decoding a row of a table.
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

  /** Renew the views of the memory if it has grown, since growing replaces its buffer. */
  #look(): void {
    const { buffer } = this.#scanner.memory;
    if (this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** Create the columns as views of the current memory. */
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

/** Form of a table of canonical events: columns, delimiter, and kind of rows. */
export interface RowForm {
  readonly names: readonly string[];
  readonly delimiter: string;
  /** Escape character before a quote in a cell. */
  readonly escape: string;
  readonly role: EventRole;
}

const DELIMITERS: ReadonlySet<string> = new Set([',', ';', '\t', '|']);
/** Roles by their code in the compiled scanner. */
const ROLES: readonly EventRole[] = ['interactions', 'exposures', 'mixed'];
/** Code of an unknown field. */
const UNKNOWN_FIELD = 255;

export interface LineScannerOptions {
  readonly maxEventBytes: number;
  /** Latest valid time, ms; the decoder rejects later events. */
  readonly latestTs: number;
  /** Rewards of actions, used if the tables of ids include none of actions. */
  readonly worthOf?: Readonly<Record<string, number>> | undefined;
  /** Action that is the reward of the A/B test. */
  readonly earning?: string | undefined;
}

type ArrayKind<A> = new (buffer: ArrayBuffer, at: number, length: number) => A;

/** Secret for the hash tables of the scanner, derived from that of `hashBytes`. */
function secret(): bigint {
  const [first, second] = [1, 2].map((byte) => hashBytes(Uint8Array.of(byte), 0, 1));
  return BigInt.asUintN(64, (BigInt(first) << 32n) ^ BigInt(second));
}
