import { openChunks } from './file-chunks.js';

const LF = 10;
const BLOCK_BYTES = 2 * 1024 * 1024;

/** Whole lines: bytes[0, length) ends with a newline, except for the last block of a file. */
export interface LineBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly length: number;
}

export interface LineBlocksOptions {
  /** Of a longer line comes more than this, but not all of it. */
  readonly maxLineBytes: number;
  /** Bytes read of the file as it lies on the disk (compressed, where it is) and its size. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
  /** Room for this many bytes; by default each block gets a new buffer. */
  readonly allocate?: (bytes: number) => Uint8Array<ArrayBuffer>;
  readonly blockBytes?: number;
}

/**
 * Reads a file in blocks of whole lines of about 2 MiB, for those who take the lines apart
 * elsewhere. A `LineSplitter` makes of the blocks, one after another, what it makes of the file.
 *
 * @throws UnskewError FILE if the file cannot be read or is not valid gzip.
 */
export async function* lineBlocks(
  path: string,
  { maxLineBytes, onProgress, allocate, blockBytes = BLOCK_BYTES }: LineBlocksOptions,
): AsyncGenerator<LineBlock> {
  const chunks = await openChunks(path);
  const builder = new BlockBuilder(maxLineBytes + 2, blockBytes, allocate ?? newBytes);
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      onProgress?.(chunks.bytesRead(), chunks.totalBytes);
      for (let at = 0; at < chunk.length; ) {
        const taken = chunk.subarray(at, at + builder.room);
        at += taken.length;
        const block = builder.add(taken);
        if (block !== undefined) yield block;
      }
    }
    if (builder.length > 0) yield { bytes: builder.bytes, length: builder.length };
  } catch (error) {
    // The lines that were read before it are as good as if it had come later.
    const length = builder.wholeLines;
    if (length > 0) yield { bytes: builder.bytes, length };
    throw error;
  } finally {
    chunks.destroy();
  }
}

/** Cuts what is read into whole lines. */
class BlockBuilder {
  readonly #capacity: number;
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(
    private readonly lineBytes: number,
    blockBytes: number,
    private readonly allocate: (bytes: number) => Uint8Array<ArrayBuffer>,
  ) {
    // A full block without a newline is a line that is too long.
    this.#capacity = Math.max(blockBytes, 2 * lineBytes);
    this.bytes = allocate(this.#capacity);
  }

  /** Length of the whole lines. */
  get wholeLines(): number {
    return this.bytes.subarray(0, this.length).lastIndexOf(LF) + 1;
  }

  get room(): number {
    return this.bytes.length - this.length;
  }

  /** Takes what has room; @returns the whole lines of a block that is full by it. */
  add(read: Uint8Array): LineBlock | undefined {
    this.bytes.set(read, this.length);
    this.length += read.length;
    if (this.length < this.bytes.length) return undefined;
    const { bytes } = this;
    const end = this.wholeLines;
    if (end === 0) {
      // Too long a line: what follows of it goes the same way, and its end ends what was kept.
      this.length = this.lineBytes;
      return undefined;
    }
    this.bytes = this.allocate(this.#capacity);
    this.bytes.set(bytes.subarray(end));
    this.length = bytes.length - end;
    return { bytes, length: end };
  }
}

function newBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length);
}
