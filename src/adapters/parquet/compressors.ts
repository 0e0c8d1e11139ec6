import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Compressors } from 'hyparquet';
import { snappyUncompressor } from 'hysnappy';
import lz4 from 'lz4js';
import { unpackZstandard } from '../compression/zstandard.js';

/** Decompressors of Parquet pages by codec. `length` is the size that the page states, in bytes. */
export const COMPRESSORS: Compressors = {
  SNAPPY: snappyUncompressor(),
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, length) }),
  ZSTD: (input, length) => (length === 0 ? new Uint8Array(0) : unpackZstandard(input, length)),
  LZ4: (input, length) => hadoopLz4(input, length) ?? lz4Block(input, length),
  LZ4_RAW: lz4Block,
};

function lz4Block(input: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length);
  // Bytes that do not fit are counted but not written.
  if (lz4.decompressBlock(input, output, 0, input.length, 0) !== length) {
    throw new RangeError('an LZ4 block is damaged');
  }
  return output;
}

/**
 * Decompress LZ4 blocks in Hadoop's framing, where two lengths precede each block: decompressed and
 * compressed. Undefined if the input is one plain block instead.
 */
function hadoopLz4(input: Uint8Array, length: number): Uint8Array | undefined {
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  const output = new Uint8Array(length);
  let from = 0;
  let to = 0;
  while (from + 8 <= input.length) {
    const unpacked = view.getUint32(from);
    const packed = view.getUint32(from + 4);
    from += 8;
    if (from + packed > input.length || to + unpacked > length) return undefined;
    const end = lz4.decompressBlock(input, output, from, packed, to);
    if (end !== to + unpacked) return undefined;
    from += packed;
    to = end;
  }
  return from === input.length && to === length ? output : undefined;
}
