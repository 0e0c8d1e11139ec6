import { openChunks } from './file-chunks.js';
import { asLines } from './json-layout.js';
import { type LineHandler, LineSplitter, type LineTaker } from './line-splitter.js';

export interface ReadLinesOptions {
  /** A longer line is delivered cut to one byte more than this; the rest of it is skipped. */
  readonly maxLineBytes?: number;
  /** Takes what lines it can; the others are handled one by one. */
  readonly taker?: LineTaker | undefined;
  /** Bytes read of the file as it lies on the disk (compressed, where it is) and its size. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
}

const DEFAULT_MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Reads a file line by line, gunzipped where it starts with gzip's magic bytes or ends in `.gz`.
 * Blank lines are skipped, the last line needs no newline, JSON that stands otherwise (a list, objects
 * over several lines or behind each other) counts as one object a line, memory is bounded by `maxLineBytes`.
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
