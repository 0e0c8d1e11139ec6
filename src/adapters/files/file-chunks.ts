import { createReadStream, type ReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fileError } from './file-error.js';

const CHUNK_BYTES = 256 * 1024;

/** The path that means what is piped in. */
const STANDARD_INPUT = '-';

export interface FileChunks {
  readonly totalBytes: number;
  /** Of the file as it lies on the disk. */
  bytesRead(): number;
  /** The next bytes, there until more are asked for; undefined at the end. @throws UnskewError FILE. */
  next(): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a file to be read chunk by chunk, gunzipped where it starts with gzip's magic bytes or ends
 * in `.gz`.
 *
 * @throws UnskewError FILE if the file cannot be read or is not valid gzip.
 */
export async function openChunks(path: string): Promise<FileChunks> {
  try {
    if (path === STANDARD_INPUT) return await standardInput();
    const { size } = await stat(path);
    // A pipe cannot be read twice, so there the name alone decides.
    const gzipped = path.endsWith('.gz') || (size > 0 && (await startsWithGzipMagic(path)));
    if (!gzipped) return plainChunks(await open(path), path, size);
    const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    return streamedChunks(file, path, size, gzipped);
  } catch (error) {
    throw fileError('read', path, error);
  }
}

/** It has no name that says whether it is compressed: its first bytes do. */
async function standardInput(): Promise<FileChunks> {
  const input = createReadStream('', { fd: 0, autoClose: false, highWaterMark: CHUNK_BYTES });
  const first: Uint8Array | null = await new Promise((resolve, reject) => {
    input.once('error', reject);
    input.once('readable', () => resolve(input.read()));
  });
  if (first !== null) input.unshift(first);
  return streamedChunks(input, 'standard input', 0, first?.[0] === 0x1f && first[1] === 0x8b);
}

/** All in one buffer: one for each chunk would have to be collected again and again. */
function plainChunks(file: FileHandle, path: string, totalBytes: number): FileChunks {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let read = 0;
  return {
    totalBytes,
    bytesRead: () => read,
    async next() {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null).catch((error) => {
        throw fileError('read', path, error);
      });
      read += bytesRead;
      return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

function streamedChunks(
  file: ReadStream,
  name: string,
  totalBytes: number,
  gzipped: boolean,
): FileChunks {
  let last: AsyncIterable<Uint8Array> = file;
  if (gzipped) {
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    // Errors of either stream come out of the iteration over the last one.
    pipeline(file, gunzip, () => {});
    last = gunzip;
  }
  const chunks = last[Symbol.asyncIterator]();
  return {
    totalBytes,
    bytesRead: () => file.bytesRead,
    async next() {
      const chunk = await chunks.next().catch((error: unknown) => {
        throw fileError('read', name, error);
      });
      return chunk.done ? undefined : chunk.value;
    },
    async close() {
      file.destroy();
    },
  };
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
