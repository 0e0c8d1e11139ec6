import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import kafkajs, { CompressionTypes } from 'kafkajs';
import {
  boundAnswers,
  currentUnpacking,
  DEFAULT_MAX_UNPACKED_BYTES,
} from './unpacking/bounded-answers.js';
import { unpackLz4 } from './unpacking/lz4.js';
import { unpackSnappy } from './unpacking/snappy.js';
import { unpackZstd } from './unpacking/zstd.js';

interface Codec {
  compress(encoder: { buffer: Buffer }): Promise<Buffer>;
  decompress(buffer: Buffer): Promise<Buffer>;
}

// Not among the names that Node finds in this CommonJS package.
const { CompressionCodecs } = kafkajs;

const READ_ONLY = [
  { type: CompressionTypes.Snappy, name: 'Snappy', unpack: unpackSnappy },
  { type: CompressionTypes.LZ4, name: 'LZ4', unpack: unpackLz4 },
  { type: CompressionTypes.ZSTD, name: 'Zstandard', unpack: unpackZstd },
] as const;

const unzipped = promisify(unzip);

/** The client's own, which writes it too. */
const GZIP: Codec = CompressionCodecs[CompressionTypes.GZIP]();

/**
 * The client decodes gzip by itself; the other codecs of Kafka are added to it, for reading. All are
 * bounded in what they unpack to. Codecs that are registered already stay, with bounds of their own.
 */
export function registerCodecs(maxUnpackedBytes = DEFAULT_MAX_UNPACKED_BYTES): void {
  boundAnswers(maxUnpackedBytes);
  CompressionCodecs[CompressionTypes.GZIP] = () => boundedGzip;
  for (const { type, name, unpack } of READ_ONLY) {
    if (isMissing(type)) CompressionCodecs[type] = () => readOnly(name, unpack);
  }
}

function isMissing(type: (typeof READ_ONLY)[number]['type']): boolean {
  try {
    CompressionCodecs[type]();
    return false;
  } catch {
    return true;
  }
}

function readOnly(name: string, unpack: (packed: Buffer, maxBytes: number) => Buffer): Codec {
  return {
    compress: () => Promise.reject(new Error(`nothing is written with ${name}, only read`)),
    decompress: (buffer) =>
      currentUnpacking().unpack(buffer, async (packed, maxBytes) => unpack(packed, maxBytes)),
  };
}

const boundedGzip: Codec = {
  compress: (encoder) => GZIP.compress(encoder),
  decompress: (buffer) =>
    currentUnpacking().unpack(buffer, (packed, maxOutputLength) =>
      unzipped(packed, { maxOutputLength }),
    ),
};
