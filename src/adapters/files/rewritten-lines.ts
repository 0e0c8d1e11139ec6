import { existsSync } from 'node:fs';
import { openLineWriter } from './line-writer.js';
import { readLines } from './lines.js';

export interface RewrittenLines {
  readonly changed: number;
  readonly of: number;
}

/**
 * Change lines of a file. The file is replaced as a whole if any line changes.
 *
 * @param change returns the new line; undefined to remove it
 * @returns number of changed lines and of all lines; undefined if there is no file
 * @throws UnskewError FILE if it cannot be read or written
 */
export async function rewriteLines(
  path: string,
  change: (line: string) => string | undefined,
): Promise<RewrittenLines | undefined> {
  if (!existsSync(path)) return undefined;
  const told = {
    changed: 0,
    of: 0,
  };
  const writer = await openLineWriter(path);
  try {
    await readLines(path, (bytes, start, end) => {
      const line = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
      const now = change(line);
      told.of++;
      if (now !== line) {
        told.changed++;
      }
      if (now !== undefined) return writer.write(now);
    });
    await (told.changed === 0 ? writer.abort() : writer.close());
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return told;
}
