import { openChunks } from './file-chunks.js';
import { asLines } from './json-layout.js';
import { type LineHandler, LineSplitter, type LineTaker } from './line-splitter.js';

export interface ReadLinesOptions {
  /**
   * Maximum line length, bytes. A longer line is cut after one byte more, by which the handler
   * recognises it as too long.
   */
  readonly maxLineBytes?: number;
  /** Fast path for lines that it accepts; other lines are handled one by one. */
  readonly taker?: LineTaker | undefined;
  /** Called with the bytes read on disk (compressed, if they are), and the file size. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
}

const DEFAULT_MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Read a file line by line, decompressed as by `openChunks`. Blank lines are skipped, and the last
 * line needs no newline. In JSON that is not one object per line (a list, objects over several
 * lines, several objects on one line), each object counts as a line. `maxLineBytes` bounds memory.
 *
 * @throws UnskewError FILE if the file cannot be read or is not valid gzip.
 */
export async function readLines(
  path: string,
  onLine: LineHandler,
  options: ReadLinesOptions = {},
): Promise<void> {
  const { maxLineBytes = DEFAULT_MAX_LINE_BYTES, taker, onProgress } = options;
  const splitter = new LineSplitter(onLine, maxLineBytes, taker);
  const chunks = asLines(await openChunks(path));
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      onProgress?.(chunks.bytesRead(), chunks.totalBytes);
      for (let at = 0; at < chunk.length; ) {
        at = splitter.scan(chunk, at);
        if (splitter.pending) {
          await splitter.pending;
        }
      }
    }
    await splitter.end();
  } finally {
    await chunks.close();
  }
}
