/** Size of a chunk of memory in bytes; a piece is at most as large. */
const CHUNK_BYTES = 1 << 20;

/**
 * Pool of memory chunks that checkpoints reuse. Allocating tens of mebibytes for each one would
 * stop the thread for garbage collection longer than the writing takes.
 */
export class ChunkPool {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(CHUNK_BYTES);
  }

  /** Return the chunks of these pieces to the pool; the pieces must not be used any more. */
  giveBack(pieces: readonly Uint8Array[]): void {
    for (const buffer of new Set(pieces.map((piece) => piece.buffer))) {
      if (buffer.byteLength === CHUNK_BYTES) {
        this.#free.push(new Uint8Array(buffer));
      }
    }
  }
}

/** Typed arrays that are stored as they are in memory. */
export type Column = Uint8Array | Uint16Array | Int32Array | Float32Array | Float64Array;

const SECTION_UNIT = 16;
const ALIGNMENT = 8;
/**
 * Least size of a piece, bytes. A smaller piece is not ended, so that what follows is part of it.
 */
const LEAST_PIECE = 4096;
/** Approximate number of pieces into which a growing column is cut. */
const PIECES = 64;
/** Least size of a piece of a growing column, bytes; `LARGEST_UNIT` is the largest. */
const LEAST_UNIT = 1024;
const LARGEST_UNIT = 1 << 16;

/**
 * Writes numbers, texts and columns one after the other. Each value is at a multiple of eight bytes
 * and in little-endian order, so that columns are copied and not converted.
 *
 * The output is a sequence of pieces. A store does not write a piece again if it already has it, so
 * pieces end where unchanged bytes end.
 *
 * @example
 * const to = new BinaryWriter();
 * to.number(3);
 * to.column(Int32Array.of(1, 2, 3));
 * to.finish()[0].length; // 32
 */
export class BinaryWriter {
  readonly #pool: ChunkPool;
  readonly #pieces: Uint8Array[] = [];
  #chunk: Uint8Array;
  /** Start of the current piece in the chunk; `#at` is its current end. */
  #from = 0;
  #at = 0;
  readonly #number = new Float64Array(1);
  readonly #numberBytes = new Uint8Array(this.#number.buffer);
  #length = 0;
  /**
   * Size at which a piece of the current column is ended, bytes; Infinity unless the column grows.
   */
  #unit = Number.POSITIVE_INFINITY;

  constructor(pool = new ChunkPool()) {
    this.#pool = pool;
    this.#chunk = pool.take();
  }

  number(value: number): void {
    this.#number[0] = value;
    this.#append(this.#numberBytes);
  }

  text(value: string): void {
    this.column(new TextEncoder().encode(value));
  }

  /** Write the first `length` elements of an array as a column. */
  column(values: Column, length = values.length): void {
    this.beginColumn(length);
    this.extendColumn(values, length);
    this.endColumn();
  }

  /**
   * Begin a column of `length` elements, which are then added by `extendColumn`.
   *
   * @param width number of bytes per element, only for a column that only grows between
   *   checkpoints: it is cut into pieces of equal size, so that old elements stay in the
   *   same pieces
   */
  beginColumn(length: number, width?: number): void {
    this.number(length);
    if (width === undefined || length * width < LEAST_PIECE) return;
    this.cut(0);
    const unit = 2 ** Math.floor(Math.log2((length * width) / PIECES));
    this.#unit = Math.min(LARGEST_UNIT, Math.max(LEAST_UNIT, unit));
  }

  extendColumn(values: Column, length = values.length): void {
    const bytes = length * values.BYTES_PER_ELEMENT;
    this.#append(new Uint8Array(values.buffer, values.byteOffset, bytes));
  }

  endColumn(): void {
    this.#unit = Number.POSITIVE_INFINITY;
    this.#pad(ALIGNMENT);
  }

  /** Write a column that only grows between checkpoints. */
  growing(values: Column, length = values.length): void {
    this.beginColumn(length, values.BYTES_PER_ELEMENT);
    this.extendColumn(values, length);
    this.endColumn();
  }

  /**
   * End the current piece here if it has at least `least` bytes, so that a store need not write it
   * again when only the data after it change.
   */
  cut(least = LEAST_PIECE): void {
    if (this.#at - this.#from < Math.max(1, least)) return;
    this.#pieces.push(this.#chunk.subarray(this.#from, this.#at));
    this.#from = this.#at;
  }

  /**
   * Return all pieces, with a total length that is a multiple of 16 bytes. Nothing can be written
   * afterwards.
   */
  finish(): Uint8Array[] {
    this.#pad(SECTION_UNIT);
    this.cut(0);
    if (this.#from === 0) {
      this.#pool.giveBack([this.#chunk]);
    }
    return this.#pieces;
  }

  #append(bytes: Uint8Array): void {
    this.#length += bytes.length;
    let from = 0;
    while (from < bytes.length) {
      if (this.#at === CHUNK_BYTES) {
        this.#turn();
      }
      const most = Math.min(CHUNK_BYTES - this.#at, this.#unit - (this.#at - this.#from));
      const to = Math.min(bytes.length, from + most);
      this.#chunk.set(
        from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to),
        this.#at,
      );
      this.#at += to - from;
      from = to;
      if (this.#at - this.#from === this.#unit) {
        this.cut(0);
      }
    }
  }

  /** Continue the current piece in the next chunk, so that the ends of chunks do not end pieces. */
  #turn(): void {
    const begun = this.#chunk.subarray(this.#from);
    if (begun.length === CHUNK_BYTES) {
      this.cut();
    }
    this.#chunk = this.#pool.take();
    this.#from = 0;
    this.#at = begun.length === CHUNK_BYTES ? 0 : begun.length;
    if (this.#at > 0) {
      this.#chunk.set(begun);
    }
  }

  #pad(unit: number): void {
    const rest = this.#length % unit;
    if (rest > 0) {
      this.#append(new Uint8Array(unit - rest));
    }
  }
}
