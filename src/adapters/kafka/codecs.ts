import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import kafkajs, { CompressionTypes } from 'kafkajs';
import v4 from 'kafkajs/src/protocol/requests/fetch/v4/response.js';
import v5 from 'kafkajs/src/protocol/requests/fetch/v5/response.js';
import v6 from 'kafkajs/src/protocol/requests/fetch/v6/response.js';
import v7 from 'kafkajs/src/protocol/requests/fetch/v7/response.js';
import v8 from 'kafkajs/src/protocol/requests/fetch/v8/response.js';
import v9 from 'kafkajs/src/protocol/requests/fetch/v9/response.js';
import v10 from 'kafkajs/src/protocol/requests/fetch/v10/response.js';
import v11 from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { unpackLz4 } from './unpacking/lz4.js';
import { unpackSnappy } from './unpacking/snappy.js';
import { Unpacking } from './unpacking/unpacking.js';
import { unpackZstd } from './unpacking/zstd.js';

type Decode = (answer: Buffer) => Promise<unknown>;
type Unpack = (packed: Buffer, maxBytes: number) => Buffer | Promise<Buffer>;

const DEFAULT_MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const current = new AsyncLocalStorage<Unpacking>();
let maxBytes = DEFAULT_MAX_UNPACKED_BYTES;
let isInstalled = false;

/** Decompression state of the fetch response that is being decoded. */
function currentUnpacking(): Unpacking {
  return current.getStore() ?? new Unpacking(maxBytes, 0);
}

/** Limit the decompressed size of fetch responses for all clients of this process. */
function boundAnswers(limit: number): void {
  maxBytes = limit;
  if (isInstalled) return;
  isInstalled = true;
  for (const response of [v4, v5, v6, v7, v8, v9, v10, v11]) {
    response.decode = bounded(response.decode);
  }
}

/**
 * Wrap a decoder so that it limits the decompressed size of each response. Each response is decoded
 * from the partitions on that the previous one left out.
 */
function bounded(decode: Decode): Decode {
  let first = 0;
  return async (answer) => {
    let unpacking = new Unpacking(maxBytes, first);
    let decoded = await current.run(unpacking, () => decode(answer));
    // Decode again, now with stand-ins for the refused batches. Batches that are refused only now
    // are fetched again.
    if (unpacking.hasRefused) {
      unpacking = new Unpacking(maxBytes, first);
      decoded = await current.run(unpacking, () => decode(answer));
    }
    first = unpacking.leftFrom ?? 0;
    return decoded;
  };
}

interface Codec {
  compress(encoder: { buffer: Buffer }): Promise<Buffer>;
  decompress(buffer: Buffer): Promise<Buffer>;
}

// Node does not find this name among the exports of a CommonJS package.
const { CompressionCodecs } = kafkajs;

const READ_ONLY = [
  {
    type: CompressionTypes.Snappy,
    name: 'Snappy',
    unpack: unpackSnappy,
  },
  {
    type: CompressionTypes.LZ4,
    name: 'LZ4',
    unpack: unpackLz4,
  },
  {
    type: CompressionTypes.ZSTD,
    name: 'Zstandard',
    unpack: unpackZstd,
  },
] as const;

const unzipped = promisify(unzip);

/** The client's own gzip codec, which this program also uses to compress. */
const GZIP: Codec = CompressionCodecs[CompressionTypes.GZIP]();

/**
 * Register the compression codecs of Kafka that the client lacks (Snappy, LZ4, Zstandard), for
 * reading only. Limit the decompressed size for these and gzip. Codecs that are already registered
 * stay.
 */
export function registerCodecs(maxUnpackedBytes = DEFAULT_MAX_UNPACKED_BYTES): void {
  boundAnswers(maxUnpackedBytes);
  CompressionCodecs[CompressionTypes.GZIP] = () => boundedGzip;
  for (const { type, name, unpack } of READ_ONLY) {
    if (isMissing(type)) {
      CompressionCodecs[type] = () => readOnly(name, unpack);
    }
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

function readOnly(name: string, unpack: Unpack): Codec {
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
