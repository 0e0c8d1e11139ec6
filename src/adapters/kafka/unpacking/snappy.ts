import snappy from 'snappyjs';
import { damaged, tooLarge } from './faults.js';

/**
 * First bytes of a batch that Java clients compress. Other clients write one plain block without
 * them.
 */
const FRAMED = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
/** Length of the header, bytes: the magic bytes, the version, and the least compatible version. */
const FRAMED_HEADER_BYTES = FRAMED.length + 8;
/** Maximum decompressed bytes per compressed byte: two bytes can stand for a copy of 64 bytes. */
const MOST_PER_BYTE = 32;

/**
 * Decompress Snappy as Kafka clients write it: one block, or blocks that are each preceded by their
 * length.
 *
 * **Source** format description of google/snappy; the framing is xerial/snappy-java's.
 *
 * @throws ERR_BUFFER_TOO_LARGE above `maxBytes`
 * @throws UnreadableRecords if a block is damaged
 */
export function unpackSnappy(packed: Buffer, maxBytes: number): Buffer {
  if (!packed.subarray(0, FRAMED.length).equals(FRAMED)) return unpackBlock(packed, maxBytes);
  const unpacked: Buffer[] = [];
  let room = maxBytes;
  let at = FRAMED_HEADER_BYTES;
  while (at < packed.length) {
    if (at + 4 > packed.length) throw damaged('Snappy', 'the length of a block is truncated');
    const length = packed.readUInt32BE(at);
    at += 4;
    if (at + length > packed.length) throw damaged('Snappy', 'a block is truncated');
    const block = unpackBlock(packed.subarray(at, at + length), room);
    unpacked.push(block);
    room -= block.length;
    at += length;
  }
  return Buffer.concat(unpacked);
}

function unpackBlock(packed: Buffer, maxBytes: number): Buffer {
  const length = statedLength(packed);
  if (length > maxBytes) throw tooLarge();
  if (length > packed.length * MOST_PER_BYTE) {
    throw damaged('Snappy', 'a block has another size than it states');
  }
  try {
    return snappy.uncompress(packed, maxBytes);
  } catch {
    throw damaged('Snappy', 'a block cannot be decompressed');
  }
}

/** Decompressed length at the start of a block: seven bits per byte, least significant first. */
function statedLength(packed: Buffer): number {
  let length = 0;
  for (let n = 0; n < 5 && n < packed.length; n++) {
    length += (packed[n] & 127) * 2 ** (7 * n);
    if (packed[n] < 128) return length;
  }
  throw damaged('Snappy', 'a block has no size');
}
