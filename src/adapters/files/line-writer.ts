import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fileError } from './file-error.js';

export interface LineWriter {
  /** Add a line. If it returns a promise, await it before the next call (backpressure). */
  write(line: string): Promise<void> | void;
  /** Append bytes unchanged. Await the promise before the next call. */
  append(bytes: Uint8Array): Promise<void>;
  /** Finish the file and move it to its final name. */
  close(): Promise<void>;
  /** Stop writing and remove the temporary file, so that the file does not appear. */
  abort(): Promise<void>;
}

const BLOCK_CHARS = 64 * 1024;

/**
 * Open a file for writing line by line, gzipped if its name ends in `.gz`. Lines are written to a
 * temporary file in the same folder, so the file appears complete or not at all.
 *
 * @throws UnskewError FILE at once if the folder cannot be written.
 */
export async function openLineWriter(path: string): Promise<LineWriter> {
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2, 8)}.partial`;
  const file = await open(temporary, 'wx').catch((error: unknown) => {
    throw fileError('write', path, error);
  });
  const sink = createWriteStream(temporary, { fd: file });
  const head: Writable = path.endsWith('.gz') ? createGzip() : new PassThrough();
  // Resolves with an error instead of rejecting, so that a failure before `close` is not unhandled.
  const written = pipeline(head as PassThrough, sink).then(
    () => undefined,
    (error: unknown) => fileError('write', path, error),
  );
  return new BlockWriter(path, temporary, head, written);
}

class BlockWriter implements LineWriter {
  #block: string[] = [];
  #blockChars = 0;

  constructor(
    private readonly path: string,
    private readonly temporary: string,
    private readonly head: Writable,
    private readonly written: Promise<Error | undefined>,
  ) {}

  write(line: string): Promise<void> | void {
    this.#block.push(line);
    this.#blockChars += line.length + 1;
    if (this.#blockChars >= BLOCK_CHARS) return this.#flush();
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.#block.length > 0) {
      await this.#flush();
    }
    return this.#send(bytes);
  }

  #flush(): Promise<void> | void {
    const text = `${this.#block.join('\n')}\n`;
    this.#block = [];
    this.#blockChars = 0;
    return this.#send(text);
  }

  #send(chunk: string | Uint8Array): Promise<void> | void {
    if (this.head.destroyed) return this.#fail();
    if (this.head.write(chunk)) return;
    return new Promise<void>((resolve, reject) => {
      const drained = (): void => resolve();
      this.head.once('drain', drained);
      void this.written.then((error) => {
        this.head.off('drain', drained);
        if (error) {
          reject(error);
        }
      });
    });
  }

  async #fail(): Promise<void> {
    throw (await this.written) ?? fileError('write', this.path, new Error('the file is closed'));
  }

  async close(): Promise<void> {
    if (this.#block.length > 0) {
      await this.#flush();
    }
    this.head.end();
    const error = await this.written;
    try {
      if (error) throw error;
      await rename(this.temporary, this.path);
    } catch (cause) {
      await rm(this.temporary, { force: true });
      throw fileError('write', this.path, cause);
    }
  }

  async abort(): Promise<void> {
    this.head.destroy();
    await this.written;
    await rm(this.temporary, { force: true });
  }
}
