import { Decompress, decompress } from 'fzstd';
import { damaged, tooLarge } from './faults.js';

const MAGIC = 0xfd2fb528;
/** Frames to be passed over: sixteen numbers. */
const SKIPPED = 0x184d2a50;
const IS_SINGLE_SEGMENT = 0x20;
const HAS_CHECKSUM = 0x04;
/** Zstandard's own readers take such a window of anybody. */
const USUAL_WINDOW_BYTES = 8 * 1024 * 1024;
const RLE = 1;

/**
 * Unpacks Zstandard frames, one after the other.
 *
 * A frame says how far back it refers, and a reader keeps as much: what is beyond the bound is
 * refused before any of it is unpacked.
 *
 * **Source** RFC 8878, 3.1.1.
 *
 * @throws ERR_BUFFER_TOO_LARGE if it would be more than `maxBytes`
 * @throws UnreadableRecords if it is no such frame
 */
export function unpackZstd(packed: Buffer, maxBytes: number): Buffer {
  const unpacked: Uint8Array[] = [];
  let room = maxBytes;
  for (let at = 0; at < packed.length; ) {
    const frame = frameAt(packed, at);
    if (frame.windowBytes > Math.max(maxBytes, USUAL_WINDOW_BYTES)) throw tooLarge();
    if (frame.contentBytes !== undefined && frame.contentBytes > room) throw tooLarge();
    if (!frame.isSkipped) {
      const bytes = packed.subarray(at, frame.end);
      for (const part of unpackFrame(bytes, frame.contentBytes, room)) {
        unpacked.push(part);
        room -= part.length;
      }
    }
    at = frame.end;
  }
  return Buffer.concat(unpacked);
}

function unpackFrame(
  bytes: Uint8Array,
  contentBytes: number | undefined,
  room: number,
): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  let left = room;
  try {
    if (contentBytes !== undefined) return [decompress(bytes, new Uint8Array(contentBytes))];
    const stream = new Decompress((part) => {
      left -= part.length;
      if (left < 0) throw tooLarge();
      parts.push(part);
    });
    stream.push(bytes, true);
    return parts;
  } catch (error) {
    if (left < 0) throw error;
    throw damaged('Zstandard', 'a frame that cannot be unpacked');
  }
}

interface Frame {
  readonly end: number;
  readonly isSkipped: boolean;
  readonly windowBytes: number;
  /** Undefined where the writer did not know. */
  readonly contentBytes: number | undefined;
}

function frameAt(packed: Buffer, start: number): Frame {
  const bytes = new Bounded(packed, start);
  const magic = bytes.take(4);
  if (magic - (magic % 16) === SKIPPED) {
    const length = bytes.take(4);
    return { end: bytes.skip(length), isSkipped: true, windowBytes: 0, contentBytes: 0 };
  }
  if (magic !== MAGIC) throw damaged('Zstandard', 'no frame');
  const flags = bytes.take(1);
  const isSingle = (flags & IS_SINGLE_SEGMENT) !== 0;
  const windowCode = isSingle ? 0 : bytes.take(1);
  if ((flags & 3) !== 0) throw damaged('Zstandard', 'a frame that needs a dictionary');
  const sizeBytes = flags >> 6 === 0 ? Number(isSingle) : 1 << (flags >> 6);
  const stated = bytes.take(sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const base = 2 ** (10 + (windowCode >> 3));
  const windowBytes = isSingle ? stated : base + (base / 8) * (windowCode & 7);
  skipBlocks(bytes);
  const end = bytes.skip((flags & HAS_CHECKSUM) === 0 ? 0 : 4);
  return { end, isSkipped: false, windowBytes, contentBytes: sizeBytes > 0 ? stated : undefined };
}

function skipBlocks(bytes: Bounded): void {
  for (;;) {
    const header = bytes.take(3);
    const isRepeated = ((header >> 1) & 3) === RLE;
    bytes.skip(isRepeated ? 1 : header >> 3);
    if ((header & 1) === 1) return;
  }
}

/** Little-endian numbers, none of them beyond the end. */
class Bounded {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  take(count: number): number {
    const start = this.at;
    this.skip(count);
    let value = 0;
    for (let n = 0; n < count; n++) value += this.bytes[start + n] * 2 ** (8 * n);
    return value;
  }

  /** @returns where reading goes on */
  skip(count: number): number {
    this.at += count;
    if (this.at > this.bytes.length) throw damaged('Zstandard', 'a frame is cut');
    return this.at;
  }
}
