/** A multiple of what the checksum takes at a time. */
const CHUNK_BYTES = 1 << 20;

/**
 * Chunks of memory that are written again and again. Tens of fresh mebibytes for each checkpoint
 * would make the garbage collector stop the thread for longer than the writing does.
 */
export class ChunkPool {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(CHUNK_BYTES);
  }

  /** Only whole chunks come back; nobody may look at them any more. */
  giveBack(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) {
      if (chunk.length === CHUNK_BYTES) this.#free.push(chunk);
    }
  }
}

/** Of arrays that are stored as they lie in memory. */
export type Column = Uint8Array | Uint16Array | Int32Array | Float32Array | Float64Array;

const SECTION_UNIT = 16;
const ALIGNMENT = 8;

/**
 * Writes numbers, texts and columns one after the other into chunks of a mebibyte, each value at a
 * multiple of eight bytes and in little-endian order, so that columns are copied and not converted.
 *
 * @example
 * const to = new BinaryWriter();
 * to.number(3);
 * to.column(Int32Array.of(1, 2, 3));
 * to.finish()[0].length; // 32
 */
export class BinaryWriter {
  readonly #pool: ChunkPool;
  readonly #chunks: Uint8Array[] = [];
  #chunk: Uint8Array;
  #at = 0;
  readonly #number = new Float64Array(1);
  readonly #numberBytes = new Uint8Array(this.#number.buffer);
  #length = 0;

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

  /** The first `length` elements. */
  column(values: Column, length = values.length): void {
    this.beginColumn(length);
    this.extendColumn(values, length);
    this.endColumn();
  }

  /** A column of `length` elements follows, in parts. */
  beginColumn(length: number): void {
    this.number(length);
  }

  extendColumn(values: Column, length = values.length): void {
    const bytes = length * values.BYTES_PER_ELEMENT;
    this.#append(new Uint8Array(values.buffer, values.byteOffset, bytes));
  }

  endColumn(): void {
    this.#pad(ALIGNMENT);
  }

  /** All chunks, after which nothing more is written; their length together is a multiple of 16 bytes, and so is that of each. */
  finish(): Uint8Array[] {
    this.#pad(SECTION_UNIT);
    if (this.#at > 0) this.#chunks.push(this.#chunk.slice(0, this.#at));
    this.#pool.giveBack([this.#chunk]);
    return this.#chunks;
  }

  #append(bytes: Uint8Array): void {
    this.#length += bytes.length;
    let from = 0;
    while (from < bytes.length) {
      const to = Math.min(bytes.length, from + CHUNK_BYTES - this.#at);
      this.#chunk.set(
        from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to),
        this.#at,
      );
      this.#at += to - from;
      from = to;
      if (this.#at === CHUNK_BYTES) {
        this.#chunks.push(this.#chunk);
        this.#chunk = this.#pool.take();
        this.#at = 0;
      }
    }
  }

  #pad(unit: number): void {
    const rest = this.#length % unit;
    if (rest > 0) this.#append(new Uint8Array(unit - rest));
  }
}
