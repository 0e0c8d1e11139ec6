import { open, stat } from 'node:fs/promises';
import { openChunks, STANDARD_INPUT, startsWithGzipMagic } from './file-chunks.js';
import { fileError } from './file-error.js';

/** The bytes of a file, gunzipped where it is compressed. */
export interface FileBytes {
  readonly totalBytes: number;
  /** Of the file as it lies on the disk. */
  bytesRead(): number;
  /** Reads some bytes to into[from…]; @returns how many, 0 at the end. @throws UnskewError FILE. */
  readInto(into: Uint8Array, from: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens a file to be read into the caller's own memory: a plain one without a copy in between.
 *
 * @throws UnskewError FILE if the file cannot be read or is not valid gzip.
 */
export async function openBytes(path: string): Promise<FileBytes> {
  try {
    if (path === STANDARD_INPUT) return await chunkedBytes(path);
    const stats = await stat(path);
    // A pipe cannot be read twice, so there the name alone decides.
    const isPlain = stats.isFile() && !path.endsWith('.gz') && !(await startsWithGzipMagic(path));
    return isPlain ? await plainBytes(path, stats.size) : await chunkedBytes(path);
  } catch (error) {
    throw fileError('read', path, error);
  }
}

async function plainBytes(path: string, totalBytes: number): Promise<FileBytes> {
  const file = await open(path);
  let position = 0;
  return {
    totalBytes,
    bytesRead: () => position,
    async readInto(into, from) {
      try {
        const { bytesRead } = await file.read(into, from, into.length - from, position);
        position += bytesRead;
        return bytesRead;
      } catch (error) {
        throw fileError('read', path, error);
      }
    },
    close: () => file.close(),
  };
}

async function chunkedBytes(path: string): Promise<FileBytes> {
  const chunks = await openChunks(path);
  let rest: Uint8Array | undefined;
  return {
    totalBytes: chunks.totalBytes,
    bytesRead: chunks.bytesRead,
    async readInto(into, from) {
      if (rest === undefined || rest.length === 0) rest = await chunks.next();
      if (rest === undefined) return 0;
      const taken = rest.subarray(0, into.length - from);
      into.set(taken, from);
      rest = rest.subarray(taken.length);
      return taken.length;
    },
    async close() {
      chunks.destroy();
    },
  };
}
