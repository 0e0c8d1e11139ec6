import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileError } from './file-error.js';

/** Lines added to the end of a file as they come; what an earlier run wrote stays. */
export class AppendedLines {
  private constructor(
    private readonly path: string,
    private readonly stream: WriteStream,
  ) {}

  /** @throws UnskewError FILE if the file cannot be opened. */
  static async open(path: string, onError: (error: Error) => void): Promise<AppendedLines> {
    await cutOffUnfinishedLine(path);
    const stream = createWriteStream(path, { flags: 'a' });
    try {
      await once(stream, 'open');
    } catch (error) {
      throw fileError('write', path, error);
    }
    const lines = new AppendedLines(path, stream);
    stream.on('error', (error) => onError(fileError('write', lines.path, error)));
    return lines;
  }

  write(line: string): void {
    this.stream.write(`${line}\n`);
  }

  /** Resolves when the lines so far are the system's: a process that is killed has written them. */
  async written(): Promise<void> {
    if (this.stream.destroyed) return;
    await new Promise<void>((resolve) => this.stream.write('', () => resolve()));
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.stream.end(resolve));
  }
}

/** A process that was killed may have left a line without its end, which is not a line. */
async function cutOffUnfinishedLine(path: string): Promise<void> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw fileError('write', path, error);
  });
  if (file === undefined) return;
  try {
    const stats = await file.stat();
    // What is not a plain file, such as a pipe, has no beginning to keep.
    if (!stats.isFile()) return;
    const block = Buffer.alloc(64 * 1024);
    let end = stats.size;
    while (end > 0) {
      const from = Math.max(0, end - block.length);
      const { bytesRead } = await file.read(block, 0, end - from, from);
      const newline = block.subarray(0, bytesRead).lastIndexOf(0x0a);
      end = newline < 0 ? from : from + newline + 1;
      if (newline >= 0) break;
    }
    if (end < stats.size) await file.truncate(end);
  } finally {
    await file.close();
  }
}
