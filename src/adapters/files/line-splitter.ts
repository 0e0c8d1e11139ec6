/**
 * Receives one line without its LF or CRLF: `bytes[start, end)`, valid until the handler returns
 * (or its promise settles). `line` counts from 1 and includes blank lines, as in an editor.
 */
export type LineHandler = (
  bytes: Uint8Array,
  start: number,
  end: number,
  line: number,
) => void | Promise<void>;

/** Fast path of a `LineSplitter`: takes several complete lines of a chunk at a time. */
export interface LineTaker {
  /** Set the chunk that `take` reads. */
  load(chunk: Uint8Array): void;
  /** Take lines from `start` on. @returns start of the first line that it does not take. */
  take(start: number): number;
  /** Number of lines last taken, including blank ones. */
  readonly lines: number;
  /** Promise to await before the next call; undefined if there is nothing to wait for. */
  readonly pending: Promise<void> | undefined;
}

const LF = 10;
const CR = 13;
const FIRST_CARRY_BYTES = 64 * 1024;

/** Splits chunks into lines; a line across chunks is joined in a buffer of bounded size. */
export class LineSplitter {
  /** Promise of the handler for the last line, if it returned one. */
  pending: void | Promise<void> = undefined;
  #line = 1;
  #carry = new Uint8Array(FIRST_CARRY_BYTES);
  #carryLength = 0;

  constructor(
    private readonly onLine: LineHandler,
    private readonly maxLineBytes: number,
    private readonly taker?: LineTaker,
  ) {}

  /** Number of complete lines, including blank ones. */
  get lines(): number {
    return this.#line - 1;
  }

  /**
   * Deliver the lines of the chunk from `start` on, up to its end. Delivery stops after a line
   * whose handler returns a promise, and `pending` becomes that promise.
   *
   * @returns the position to continue from.
   */
  scan(chunk: Uint8Array, start: number): number {
    // A Buffer finds a byte several times faster than a Uint8Array, but is slower to cut.
    const searched = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let at = start;
    if (start === 0) {
      this.taker?.load(chunk);
    }
    do {
      if (this.taker !== undefined && this.#carryLength === 0) {
        at = this.taker.take(at);
        this.#line += this.taker.lines;
        this.pending = this.taker.pending;
        if (this.pending !== undefined || at === chunk.length) break;
      }
      const newline = searched.indexOf(LF, at);
      if (newline < 0) {
        this.#keep(chunk, at, chunk.length);
        at = chunk.length;
        this.pending = undefined;
        break;
      }
      if (this.#carryLength > 0) {
        this.#keep(chunk, at, newline);
        this.pending = this.#deliverCarry();
      } else {
        this.pending = this.#deliver(chunk, at, newline);
      }
      at = newline + 1;
    } while (this.pending === undefined && at < chunk.length);
    return at;
  }

  end(): void | Promise<void> {
    if (this.#carryLength > 0) return this.#deliverCarry();
  }

  #deliverCarry(): void | Promise<void> {
    const length = this.#carryLength;
    this.#carryLength = 0;
    return this.#deliver(this.#carry, 0, length);
  }

  #deliver(bytes: Uint8Array, start: number, newline: number): void | Promise<void> {
    const line = this.#line++;
    let end = newline > start && bytes[newline - 1] === CR ? newline - 1 : newline;
    if (end === start) return;
    if (end - start > this.maxLineBytes) {
      end = start + this.maxLineBytes + 1;
    }
    return this.onLine(bytes, start, end, line);
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    // Two bytes above the limit: one shows that the line is too long, one may be the CR.
    const room = this.maxLineBytes + 2 - this.#carryLength;
    const length = Math.min(end - start, room);
    if (length <= 0) return;
    const needed = this.#carryLength + length;
    if (needed > this.#carry.length) {
      const grown = new Uint8Array(Math.max(needed, this.#carry.length * 2));
      grown.set(this.#carry.subarray(0, this.#carryLength));
      this.#carry = grown;
    }
    this.#carry.set(chunk.subarray(start, start + length), this.#carryLength);
    this.#carryLength = needed;
  }
}
