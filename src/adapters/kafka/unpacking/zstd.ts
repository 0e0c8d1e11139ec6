import { readyZstandard, unpackZstandard } from '../../compression/zstandard.js';
import { damaged, tooLarge } from './faults.js';

const MAGIC = 0xfd2fb528;
/** First of the sixteen magic numbers of skippable frames. */
const SKIPPED = 0x184d2a50;
const IS_SINGLE_SEGMENT = 0x20;
const HAS_CHECKSUM = 0x04;
/** Window size that every Zstandard decoder must accept. */
const USUAL_WINDOW_BYTES = 8 * 1024 * 1024;
const RLE = 1;
const PACKED = 2;
/** Maximum decompressed size of a block. */
const MOST_BLOCK_BYTES = 128 * 1024;

/**
 * Decompress consecutive Zstandard frames.
 *
 * The block headers limit the size of the output, and no more memory than that size is allocated. A
 * frame that states a size above `maxBytes`, or too large a window, is rejected before it is
 * decompressed.
 *
 * **Source** RFC 8878, 3.1.1.
 *
 * @throws ERR_BUFFER_TOO_LARGE above `maxBytes` @throws UnreadableRecords if a frame is not valid
 */
export async function unpackZstd(packed: Buffer, maxBytes: number): Promise<Buffer> {
  let most = 0;
  let stated = 0;
  for (let at = 0; at < packed.length; ) {
    const frame = frameAt(packed, at);
    if (frame.windowBytes > Math.max(maxBytes, USUAL_WINDOW_BYTES)) throw tooLarge();
    stated += frame.contentBytes ?? 0;
    most += frame.contentBytes ?? frame.mostBytes;
    at = frame.end;
  }
  if (stated > maxBytes) throw tooLarge();
  if (most === 0) return Buffer.alloc(0);
  await readyZstandard();
  try {
    const { buffer, byteOffset, length } = unpackZstandard(packed, Math.min(most, maxBytes));
    return Buffer.from(buffer, byteOffset, length);
  } catch {
    // If the frames may be larger than the limit, that is the likely cause of the failure.
    if (most > maxBytes) throw tooLarge();
    throw damaged('Zstandard', 'a frame cannot be decompressed');
  }
}

interface Frame {
  readonly end: number;
  readonly windowBytes: number;
  /** Decompressed size that the frame states; undefined if it states none. */
  readonly contentBytes: number | undefined;
  /** Maximum decompressed size of its blocks. */
  readonly mostBytes: number;
}

function frameAt(packed: Buffer, start: number): Frame {
  const bytes = new Bounded(packed, start);
  const magic = bytes.take(4);
  if (magic - (magic % 16) === SKIPPED) {
    const length = bytes.take(4);
    return {
      end: bytes.skip(length),
      windowBytes: 0,
      contentBytes: 0,
      mostBytes: 0,
    };
  }
  if (magic !== MAGIC) throw damaged('Zstandard', 'it has no frame');
  const flags = bytes.take(1);
  const isSingle = (flags & IS_SINGLE_SEGMENT) !== 0;
  const windowCode = isSingle ? 0 : bytes.take(1);
  if ((flags & 3) !== 0)
    throw damaged('Zstandard', 'a frame needs a dictionary, which is not supported');
  const sizeBytes = flags >> 6 === 0 ? Number(isSingle) : 1 << (flags >> 6);
  const stated = bytes.take(sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const base = 2 ** (10 + (windowCode >> 3));
  const windowBytes = isSingle ? stated : base + (base / 8) * (windowCode & 7);
  const mostBytes = skipBlocks(bytes);
  const end = bytes.skip((flags & HAS_CHECKSUM) === 0 ? 0 : 4);
  return {
    end,
    windowBytes,
    contentBytes: sizeBytes > 0 ? stated : undefined,
    mostBytes,
  };
}

/** Skip the blocks of a frame. @returns their maximum decompressed size */
function skipBlocks(bytes: Bounded): number {
  for (let most = 0; ; ) {
    const header = bytes.take(3);
    const kind = (header >> 1) & 3;
    const size = header >> 3;
    bytes.skip(kind === RLE ? 1 : size);
    most += kind === PACKED ? MOST_BLOCK_BYTES : size;
    if ((header & 1) === 1) return most;
  }
}

/** Reads little-endian numbers with bounds checks. */
class Bounded {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  take(count: number): number {
    const start = this.at;
    this.skip(count);
    let value = 0;
    for (let n = 0; n < count; n++) {
      value += this.bytes[start + n] * 2 ** (8 * n);
    }
    return value;
  }

  /** @returns the new position */
  skip(count: number): number {
    this.at += count;
    if (this.at > this.bytes.length) throw damaged('Zstandard', 'a frame is truncated');
    return this.at;
  }
}
