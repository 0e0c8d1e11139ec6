import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fileError } from './file-error.js';

/**
 * One line without its LF or CRLF: `bytes[start, end)`, valid until the handler returns (or its
 * promise settles). `line` counts from 1, blank lines included, so that it is what an editor shows.
 */
export type LineHandler = (
  bytes: Uint8Array,
  start: number,
  end: number,
  line: number,
) => void | Promise<void>;

export interface ReadLinesOptions {
  /** A longer line is delivered cut to one byte more than this; the rest of it is skipped. */
  readonly maxLineBytes?: number;
  /** Bytes read of the file as it lies on the disk (compressed, where it is) and its size. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
}

const LF = 10;
const CR = 13;
const CHUNK_BYTES = 256 * 1024;
const DEFAULT_MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Reads a file line by line, gunzipped where it starts with gzip's magic bytes or ends in `.gz`.
 * Blank lines are skipped, the last line needs no newline, memory is bounded by `maxLineBytes`.
 *
 * @throws UnskewError FILE where the file cannot be read or is not valid gzip.
 */
export async function readLines(
  path: string,
  onLine: LineHandler,
  options: ReadLinesOptions = {},
): Promise<void> {
  const { maxLineBytes = DEFAULT_MAX_LINE_BYTES, onProgress } = options;
  const splitter = new LineSplitter(onLine, maxLineBytes);
  const input = await openInput(path);
  const chunks = input.chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      // Only reading is the file's fault; what the handler throws passes through as it is.
      const next = await chunks.next().catch((error: unknown) => {
        throw fileError('read', path, error);
      });
      if (next.done) break;
      const chunk = next.value;
      for (let at = 0; at < chunk.length; ) {
        at = splitter.scan(chunk, at);
        if (splitter.pending) await splitter.pending;
      }
      onProgress?.(input.bytesRead(), input.totalBytes);
    }
    await splitter.end();
  } finally {
    input.destroy();
  }
}

interface Input {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly totalBytes: number;
  bytesRead(): number;
  destroy(): void;
}

async function openInput(path: string): Promise<Input> {
  try {
    const { size } = await stat(path);
    // A pipe cannot be read twice, so there the name alone decides.
    const gzipped = path.endsWith('.gz') || (size > 0 && (await startsWithGzipMagic(path)));
    const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    const destroy = (): void => {
      file.destroy();
    };
    const opened = { totalBytes: size, bytesRead: () => file.bytesRead, destroy };
    if (!gzipped) return { ...opened, chunks: file };
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    // Errors of either stream come out of the iteration over the last one.
    pipeline(file, gunzip, () => {});
    return { ...opened, chunks: gunzip };
  } catch (error) {
    throw fileError('read', path, error);
  }
}

async function startsWithGzipMagic(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

/** Cuts chunks into lines; a line that spans chunks is joined in a buffer of bounded size. */
class LineSplitter {
  readonly #onLine: LineHandler;
  readonly #maxLineBytes: number;
  /** The answer of the handler of the last delivered line, where that is a promise. */
  pending: void | Promise<void> = undefined;
  #line = 1;
  #carry = new Uint8Array(CHUNK_BYTES);
  #carryLength = 0;

  constructor(onLine: LineHandler, maxLineBytes: number) {
    this.#onLine = onLine;
    this.#maxLineBytes = maxLineBytes;
  }

  /**
   * Delivers the lines of the chunk from `start` on, up to its end or to the first line whose
   * handler answers with a promise (then `pending`), and returns where to go on.
   */
  scan(chunk: Uint8Array, start: number): number {
    let at = start;
    do {
      const newline = chunk.indexOf(LF, at);
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
    if (end - start > this.#maxLineBytes) end = start + this.#maxLineBytes + 1;
    return this.#onLine(bytes, start, end, line);
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    // Two bytes above the limit: one shows that the line is too long, one may be the CR.
    const room = this.#maxLineBytes + 2 - this.#carryLength;
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
