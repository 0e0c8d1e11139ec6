import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { fileError } from './file-error.js';

/** Lines added to the end of a file as they come; what an earlier run wrote stays. */
export class AppendedLines {
  readonly #path: string;
  readonly #stream: WriteStream;

  private constructor(path: string, stream: WriteStream) {
    this.#path = path;
    this.#stream = stream;
  }

  /** @throws UnskewError FILE where the file cannot be opened. */
  static async open(path: string, onError: (error: Error) => void): Promise<AppendedLines> {
    const stream = createWriteStream(path, { flags: 'a' });
    try {
      await once(stream, 'open');
    } catch (error) {
      throw fileError('write', path, error);
    }
    const lines = new AppendedLines(path, stream);
    stream.on('error', (error) => onError(fileError('write', lines.#path, error)));
    return lines;
  }

  write(line: string): void {
    this.#stream.write(`${line}\n`);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#stream.end(resolve));
  }
}
