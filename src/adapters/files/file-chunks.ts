import { createReadStream, type ReadStream } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnskewError } from '../../errors.js';
import { fileError } from './file-error.js';

const CHUNK_BYTES = 256 * 1024;
const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTANDARD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** Largest decompressed size of a Zstandard file, which is held in memory as a whole. */
const MOST_UNPACKED_BYTES = 2 ** 30 - 1;

/** Path that stands for standard input. */
const STANDARD_INPUT = '-';

export interface FileChunks {
  readonly totalBytes: number;
  /** Number of bytes read from disk so far, compressed if the file is. */
  bytesRead(): number;
  /** The next bytes, valid until the next call; undefined at the end. @throws UnskewError FILE. */
  next(): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/**
 * Open a file for reading in chunks, decompressed if it starts like gzip or Zstandard, or ends in
 * `.gz` or `.zst`.
 *
 * @throws UnskewError FILE if the file cannot be read or is not valid gzip.
 */
export async function openChunks(path: string): Promise<FileChunks> {
  try {
    if (path === STANDARD_INPUT) return await standardInput();
    const { size } = await stat(path);
    // A pipe cannot be read twice, so there the name alone decides.
    const magic = size > 0 ? await firstBytes(path) : undefined;
    const other = magic && otherForm(magic);
    if (other !== undefined) throw new UnskewError('FILE', `cannot read ${path}: ${other}`);
    if (magic === undefined ? path.endsWith('.zst') : magic.subarray(0, 4).equals(ZSTANDARD)) {
      return await unpackedChunks(path, size);
    }
    const gzipped = path.endsWith('.gz') || magic?.subarray(0, 2).equals(GZIP) === true;
    const wide = magic && WIDE.find(({ mark }) => magic.subarray(0, 2).equals(mark));
    if (wide !== undefined) return narrowed(plainChunks(await open(path), path, size), wide.name);
    if (!gzipped) return plainChunks(await open(path), path, size);
    const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    return streamedChunks(file, path, size, gzipped);
  } catch (error) {
    throw fileError('read', path, error);
  }
}

/** Byte order marks of UTF-16, with the encoding that each one means. */
const WIDE = [
  {
    mark: Buffer.from([0xff, 0xfe]),
    name: 'utf-16le',
  },
  {
    mark: Buffer.from([0xfe, 0xff]),
    name: 'utf-16be',
  },
] as const;

/**
 * Patterns of the first bytes of binary formats that cannot be read. Each has a text on how to
 * convert such a file.
 */
const OTHER_FORMS: readonly (readonly [RegExp, string])[] = [
  [
    /^BZh\d1AY/,
    'it is compressed with bzip2: decompress it (bunzip2), or compress it with gzip or Zstandard',
  ],
  [
    /^\u00fd7zXZ/,
    'it is compressed with xz: decompress it (unxz), or compress it with gzip or Zstandard',
  ],
  [/^PK[^ -~\s]/, 'it is a zip archive or an Excel file: extract it (unzip), or save it as CSV'],
  [/^7z\u00bc\u00af/, 'it is a 7z archive: extract it'],
  [/^Obj[^ -~\s]/, 'it is an Avro file: write it as Parquet or lines of JSON (avro-tools tojson)'],
  [/^ORC[^ -~\s]/, 'it is an ORC file: write it as Parquet'],
  [/^ARROW1/, 'it is an Arrow or Feather file: write it as Parquet'],
  [/^SQLite f/, 'it is an SQLite database: write its tables as CSV (sqlite3 -csv -header)'],
  [/^\u0089HDF/, 'it is an HDF5 file: write it as Parquet'],
  [/^\u0093NUMPY/, 'it is a numpy array: write it as CSV or Parquet'],
];

/** Why a file of another format cannot be read; undefined if it may be text. */
function otherForm(magic: Buffer): string | undefined {
  const start = magic.toString('latin1');
  return OTHER_FORMS.find(([mark]) => mark.test(start))?.[1];
}

/** Convert chunks of UTF-16 to UTF-8. */
function narrowed(chunks: FileChunks, encoding: string): FileChunks {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  return {
    totalBytes: chunks.totalBytes,
    bytesRead: () => chunks.bytesRead(),
    async next() {
      const chunk = await chunks.next();
      return chunk && encoder.encode(decoder.decode(chunk, { stream: true }));
    },
    close: () => chunks.close(),
  };
}

/** Open standard input as chunks, decompressed if its first bytes are gzip's or Zstandard's. */
async function standardInput(): Promise<FileChunks> {
  const input = createReadStream('', {
    fd: 0,
    autoClose: false,
    highWaterMark: CHUNK_BYTES,
  });
  const first: Uint8Array | null = await new Promise((resolve, reject) => {
    input.once('error', reject);
    input.once('readable', () => resolve(input.read()));
  });
  if (first !== null) {
    input.unshift(first);
  }
  return streamedChunks(input, 'standard input', 0, first?.[0] === 0x1f && first[1] === 0x8b);
}

/** Chunks of an uncompressed file, all in one reused buffer to avoid garbage collection. */
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
    // Iterating over the last stream throws errors of both.
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

/** A file of Zstandard frames, decompressed as a whole. */
async function unpackedChunks(path: string, totalBytes: number): Promise<FileChunks> {
  const { unpackZstd } = await import('../kafka/unpacking/zstd.js');
  const packed = await readFile(path);
  let unpacked: Buffer;
  try {
    unpacked = await unpackZstd(packed, MOST_UNPACKED_BYTES);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ERR_BUFFER_TOO_LARGE'
        ? 'it decompresses to more than 1 GiB: compress it with gzip instead'
        : message;
    throw new UnskewError('FILE', `cannot read ${path}: ${why}`);
  }
  let at = 0;
  return {
    totalBytes,
    bytesRead: () => Math.round((totalBytes * at) / Math.max(1, unpacked.length)),
    async next() {
      const chunk = unpacked.subarray(at, at + CHUNK_BYTES);
      at += chunk.length;
      return chunk.length === 0 ? undefined : chunk;
    },
    async close() {},
  };
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
