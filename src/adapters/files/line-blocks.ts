import { openChunks } from './file-chunks.js';

const LF = 10;
const BLOCK_BYTES = 1024 * 1024;

/** Whole lines: bytes[0, length) ends with a newline, but for the last block of a file. */
export interface LineBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly length: number;
}

export interface LineBlocksOptions {
  /** Of a longer line come two bytes more than this, and the rest of it is skipped. */
  readonly maxLineBytes: number;
  /** Bytes read of the file as it lies on the disk (compressed, where it is) and its size. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
  /** Room for at least `bytes`; by default it is made anew for each block. */
  readonly allocate?: (bytes: number) => Uint8Array<ArrayBuffer>;
  readonly blockBytes?: number;
}

/**
 * Reads a file in blocks of whole lines of about 1 MiB, for those who take the lines apart
 * elsewhere. A `LineSplitter` makes of the blocks, one after another, what it makes of the file.
 *
 * @throws UnskewError FILE where the file cannot be read or is not valid gzip.
 */
export async function* lineBlocks(
  path: string,
  { maxLineBytes, onProgress, allocate, blockBytes = BLOCK_BYTES }: LineBlocksOptions,
): AsyncGenerator<LineBlock> {
  const chunks = await openChunks(path);
  const builder = new BlockBuilder(maxLineBytes + 2, blockBytes, allocate ?? newBytes);
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      for (let at = 0; at < chunk.length; ) {
        at = builder.fill(chunk, at);
        const block = builder.isFull ? builder.take() : undefined;
        if (block !== undefined) yield block;
      }
      onProgress?.(chunks.bytesRead(), chunks.totalBytes);
    }
    const rest = builder.rest();
    if (rest.length > 0) yield rest;
  } finally {
    chunks.destroy();
  }
}

class BlockBuilder {
  readonly #lineBytes: number;
  readonly #capacity: number;
  readonly #allocate: (bytes: number) => Uint8Array<ArrayBuffer>;
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  /** Within a line that is too long. */
  #skips = false;

  constructor(
    lineBytes: number,
    blockBytes: number,
    allocate: (bytes: number) => Uint8Array<ArrayBuffer>,
  ) {
    this.#lineBytes = lineBytes;
    // A full block without a newline is a line that is too long, and has room for its end.
    this.#capacity = Math.max(blockBytes, lineBytes + 1);
    this.#allocate = allocate;
    this.#bytes = allocate(this.#capacity);
  }

  get isFull(): boolean {
    return this.#length === this.#capacity;
  }

  /** Takes bytes from `start` on, as many as there is room for; @returns where to go on. */
  fill(chunk: Uint8Array, start: number): number {
    let from = start;
    if (this.#skips) {
      from = chunk.indexOf(LF, start);
      if (from < 0) return chunk.length;
      this.#skips = false;
    }
    const to = Math.min(chunk.length, from + this.#capacity - this.#length);
    this.#bytes.set(chunk.subarray(from, to), this.#length);
    this.#length += to - from;
    return to;
  }

  /** The whole lines of a full block; undefined where it is a single line without an end. */
  take(): LineBlock | undefined {
    const bytes = this.#bytes;
    const end = bytes.lastIndexOf(LF, this.#length - 1) + 1;
    if (end === 0) {
      this.#length = this.#lineBytes;
      this.#skips = true;
      return undefined;
    }
    const rest = bytes.subarray(end, this.#length);
    this.#bytes = this.#allocate(this.#capacity);
    this.#bytes.set(rest);
    this.#length = rest.length;
    return { bytes, length: end };
  }

  rest(): LineBlock {
    return { bytes: this.#bytes, length: this.#length };
  }
}

function newBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length);
}
