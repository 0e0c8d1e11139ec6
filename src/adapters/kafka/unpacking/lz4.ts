import lz4 from 'lz4js';
import { damaged, tooLarge } from './faults.js';

const MAGIC = 0x184d2204;
const VERSION_BITS = 0xc0;
const VERSION = 0x40;
const BLOCK_CHECKSUMS = 0x10;
const CONTENT_SIZE = 0x08;
const CONTENT_CHECKSUM = 0x04;
const DICTIONARY = 0x01;
const IS_PLAIN = 0x8000_0000;
/**
 * Maximum size of a frame's blocks, bytes, by the code in the frame's header. The first size has
 * the code `FIRST_CODE`.
 */
const BLOCK_BYTES = [1 << 16, 1 << 18, 1 << 20, 1 << 22];
const FIRST_CODE = 4;
/** Maximum decompressed bytes per compressed byte of a block. */
const MOST_PER_BYTE = 255;

/**
 * Decompress one LZ4 frame, the content of a Kafka batch.
 *
 * Checksums are ignored: the broker has checked the batch, and older Kafka clients wrote wrong
 * ones.
 *
 * **Source** LZ4 frame format 1.6.1, github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md.
 *
 * @throws ERR_BUFFER_TOO_LARGE above `maxBytes` @throws UnreadableRecords if it is not a valid
 * frame
 */
export function unpackLz4(packed: Buffer, maxBytes: number): Buffer {
  const blocks = blocksOf(packed);
  const most = blocks.reduce((sum, { most: ofBlock }) => sum + ofBlock, 0);
  const room = Math.min(most, maxBytes);
  const unpacked = Buffer.allocUnsafe(room);
  let at = 0;
  for (const { start, length, isPlain } of blocks) {
    if (isPlain) {
      if (at + length > room) throw tooLarge();
      packed.copy(unpacked, at, start, start + length);
      at += length;
    } else {
      // Bytes that do not fit are counted but not written.
      at = lz4.decompressBlock(packed.subarray(0, start + length), unpacked, start, length, at);
      if (Number.isNaN(at)) throw damaged('LZ4', 'a block ends within a length');
      if (at > room && room < most) throw tooLarge();
      if (at > room) throw damaged('LZ4', 'a block is larger than its frame allows');
    }
  }
  return unpacked.subarray(0, at);
}

interface Block {
  readonly start: number;
  readonly length: number;
  readonly isPlain: boolean;
  /** Maximum decompressed size. */
  readonly most: number;
}

function blocksOf(packed: Buffer): Block[] {
  if (packed.length < 7 || packed.readUInt32LE(0) !== MAGIC)
    throw damaged('LZ4', 'it has no frame');
  const flags = packed[4];
  const largest = BLOCK_BYTES[((packed[5] >> 4) & 7) - FIRST_CODE];
  if ((flags & VERSION_BITS) !== VERSION || largest === undefined || (flags & DICTIONARY) !== 0) {
    throw damaged('LZ4', 'its frame is of an unknown kind');
  }
  const blocks: Block[] = [];
  // Behind the magic number: flags, size of blocks, size of the content, checksum of these.
  let at = 7 + ((flags & CONTENT_SIZE) === 0 ? 0 : 8);
  for (;;) {
    if (at + 4 > packed.length) throw damaged('LZ4', 'the frame is cut');
    const size = packed.readUInt32LE(at);
    at += 4;
    if (size === 0) break;
    const isPlain = size >= IS_PLAIN;
    const length = isPlain ? size - IS_PLAIN : size;
    if (at + length > packed.length || length > largest) throw damaged('LZ4', 'the frame is cut');
    const most = isPlain ? length : Math.min(largest, length * MOST_PER_BYTE);
    blocks.push({
      start: at,
      length,
      isPlain,
      most,
    });
    at += length + ((flags & BLOCK_CHECKSUMS) === 0 ? 0 : 4);
  }
  at += (flags & CONTENT_CHECKSUM) === 0 ? 0 : 4;
  if (at !== packed.length) throw damaged('LZ4', 'there are bytes after the frame');
  return blocks;
}
