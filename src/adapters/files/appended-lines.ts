import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { fileError } from './file-error.js';

/**
 * Appends lines to a file and keeps what earlier runs wrote. Each line is written completely or not
 * at all: the next write truncates what a failed write left. If the file is moved or removed
 * (logrotate), the next lines start a new one.
 */
export class AppendedLines {
  #file: FileHandle | undefined;
  /** Size and identity of the file before a write that failed; undefined if none failed. */
  #before: Stats | undefined;

  constructor(private readonly path: string) {}

  /**
   * Open the file. Await each call of this class before the next.
   *
   * @throws UnskewError FILE if the file cannot be opened
   */
  async open(): Promise<void> {
    try {
      await this.#opened();
    } catch (error) {
      throw fileError('write', this.path, error);
    }
  }

  /**
   * Append all of the lines, or none.
   *
   * @throws UnskewError FILE if none of the lines is written
   */
  async append(lines: readonly string[]): Promise<void> {
    try {
      await this.#letGoOfMoved();
      const file = await this.#opened();
      const stats = await file.stat();
      // A pipe or a device cannot be truncated.
      this.#before = stats.isFile() ? stats : undefined;
      await file.appendFile(lines.map((line) => `${line}\n`).join(''));
      this.#before = undefined;
    } catch (error) {
      await this.close();
      throw fileError('write', this.path, error);
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #letGoOfMoved(): Promise<void> {
    if (this.#file === undefined) return;
    const there = await stat(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const own = await this.#file.stat();
    if (there?.ino !== own.ino || there.dev !== own.dev) {
      await this.close();
    }
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file;
    await cutBack(this.path, this.#before);
    this.#before = undefined;
    this.#file = await open(this.path, 'a');
    return this.#file;
  }
}

/**
 * Remove a partly written line from the end of a file. The file is truncated to its size before the
 * failed write. If that size is unknown, the file is truncated after its last whole line, since a
 * killed process may leave a partial line.
 *
 * @param before size and identity of the file before the failed write; undefined if unknown. It is
 * ignored if another file has the name now
 */
async function cutBack(path: string, before: Stats | undefined): Promise<void> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return;
    const isSame = before?.ino === stats.ino;
    const end = isSame ? before.size : await endOfLastLine(file, stats.size);
    if (end < stats.size) {
      await file.truncate(end);
    }
  } finally {
    await file.close();
  }
}

async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  const block = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - block.length);
    const { bytesRead } = await file.read(block, 0, end - from, from);
    const newline = block.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (newline >= 0) return from + newline + 1;
    end = from;
  }
  return 0;
}
