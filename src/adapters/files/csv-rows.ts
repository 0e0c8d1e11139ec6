/** Delimiter and quoting of a table. */
export interface CsvForm {
  readonly delimiter: string;
  /** Escape character before a quote in a cell: a quote, or a backslash. */
  readonly escape: string;
}

/** An unreadable row, with the reason as a message. */
export class CsvFault extends Error {}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Splits the bytes of a table into rows (RFC 4180). White space around a cell is dropped, and white
 * space inside quotes is kept. In a tab-separated table, all white space is kept, and a quote
 * inside a cell is an ordinary character.
 *
 * @example
 * const rows = new CsvRows({ delimiter: ',', escape: '"' });
 * rows.next(Buffer.from('a,"b,c"\nd'), 0, false); // 8
 * rows.cells; // ['a', 'b,c']
 */
export class CsvRows {
  /** Cells of the last row. */
  cells: string[] = [];
  readonly #first: number;
  readonly #delimiterBytes: Buffer;
  readonly #escape: number;
  readonly #isOfTabs: boolean;
  #bytes: Buffer = Buffer.alloc(0);
  #isLast = false;

  constructor(form: CsvForm) {
    this.#delimiterBytes = Buffer.from(form.delimiter);
    this.#first = this.#delimiterBytes[0]!;
    this.#escape = form.escape === '\\' ? BACKSLASH : QUOTE;
    this.#isOfTabs = this.#first === TAB;
  }

  /**
   * Read the row that begins at `start`.
   *
   * @param isLast whether the bytes end the file
   * @returns start of the next row; −1 if the row is incomplete
   * @throws CsvFault for an unclosed or misplaced quote
   */
  next(bytes: Buffer, start: number, isLast: boolean): number {
    this.#bytes = bytes;
    this.#isLast = isLast;
    this.cells = [];
    for (let at = start; ; at += this.#delimiterBytes.length) {
      at = this.#cell(at);
      if (at < 0) return -1;
      if (at === bytes.length) return at;
      if (bytes[at] === LF) return at + 1;
    }
  }

  /** Read one cell. @returns position of the delimiter or line feed after it, or of the end */
  #cell(start: number): number {
    const quote = this.#skipSpace(start);
    if (this.#bytes[quote] === QUOTE) {
      const end = this.#quoted(quote + 1);
      if (end !== NOT_QUOTED) return end;
    }
    const bytes = this.#bytes;
    let at = start;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LF || (byte === this.#first && this.#isDelimiter(at))) break;
      if (byte === QUOTE && !this.#isOfTabs) {
        throw new CsvFault('a cell contains a quote but does not begin with one');
      }
    }
    if (at === bytes.length && !this.#isLast) return -1;
    const isBeforeLine = bytes[at] === LF && at > start && bytes[at - 1] === CR;
    const text = bytes.toString('utf8', start, isBeforeLine ? at - 1 : at);
    this.cells.push(this.#isOfTabs ? text : text.trim());
    return at;
  }

  /**
   * Read a cell that begins with a quote.
   *
   * @returns as `#cell`; `NOT_QUOTED` if text follows the closing quote in a tab-separated table
   */
  #quoted(start: number): number {
    const bytes = this.#bytes;
    let hasEscapes = false;
    let end = start;
    for (; ; end++) {
      while (end < bytes.length && bytes[end] !== QUOTE && bytes[end] !== this.#escape) end++;
      if (end + 1 >= bytes.length && !this.#isLast) return -1;
      if (end >= bytes.length) throw new CsvFault('a quoted cell has no closing quote');
      const isEscape =
        this.#escape === BACKSLASH ? bytes[end] === BACKSLASH : bytes[end + 1] === QUOTE;
      if (!isEscape) break;
      hasEscapes = true;
      end++;
    }
    const after = this.#skipSpace(end + 1);
    const isCrAlone = bytes[after] === CR && after + 1 === bytes.length;
    if ((after === bytes.length || isCrAlone) && !this.#isLast) return -1;
    const stop = bytes[after] === CR && bytes[after + 1] === LF ? after + 1 : after;
    const isEnd = stop === bytes.length || bytes[stop] === LF || this.#isDelimiter(stop);
    if (!isEnd) {
      if (this.#isOfTabs) return NOT_QUOTED;
      throw new CsvFault(
        'there is text after a closing quote; double each quote within a cell (Spark: option("escape", "\\""))',
      );
    }
    const text = bytes.toString('utf8', start, end);
    const isDoubled = this.#escape === QUOTE;
    this.cells.push(
      hasEscapes ? text.replace(isDoubled ? /""/g : /\\([\s\S])/g, isDoubled ? '"' : '$1') : text,
    );
    return stop;
  }

  /**
   * First position from `start` on that is not white space. In a tab-separated table it is `start`.
   */
  #skipSpace(start: number): number {
    if (this.#isOfTabs) return start;
    let at = start;
    let byte = this.#bytes[at]!;
    while (byte === SPACE || (byte >= TAB && byte <= CR && byte !== LF)) {
      byte = this.#bytes[++at]!;
    }
    return at;
  }

  #isDelimiter(at: number): boolean {
    const delimiter = this.#delimiterBytes;
    return (
      this.#bytes[at] === this.#first &&
      (delimiter.length === 1 || this.#bytes[at + 1] === delimiter[1])
    );
  }
}

/** Returned for a cell that begins with a quote but does not end with one. */
const NOT_QUOTED = -2;
