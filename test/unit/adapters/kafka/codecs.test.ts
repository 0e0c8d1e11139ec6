import { describe, expect, it } from 'vitest';
import { UnreadableRecords } from '../../../../src/adapters/kafka/unpacking/faults.js';
import { unpackLz4 } from '../../../../src/adapters/kafka/unpacking/lz4.js';
import { unpackSnappy } from '../../../../src/adapters/kafka/unpacking/snappy.js';
import { unpackZstd } from '../../../../src/adapters/kafka/unpacking/zstd.js';
import { mutated } from '../../../support/mutation.js';
import { repetitions } from '../../../support/repetitions.js';

// Packed by the command lines of zstd 1.5 and lz4 1.9, and by Snappy's reference layout by hand.

const TEXT = Array.from({ length: 40 }, (_, n) => `event ${n} of user ${n % 7}; `).join('');
const base64 = (text: string) => Buffer.from(text, 'base64');
const ZSTD = base64(
  'KLUv/WQWArUDACKGEBSwJenWEgKqq6FIRGtt7y1T5U0yDEOq7WWpV2u1vZy+7bo/p29jsZwk8Wis8oIEDXdmVe2T' +
    'Q2gCRUAYAzA0g6MUSk6oIfz6d8Cj6hAUAVgPD47jdBzH4fhLpEwnDVI+ImO66BBlZEgW9mgKBlPgqUgDrQrE2k3e',
);
const ZSTD_OF_A_STREAM = base64(
  'KLUv/QBYtQMAIoYQFLAl6dYSAqqroUhEa23vLVPlTTIMQ6rtZalXa7W9nL7tuj+nb2OxnCTxaKzyggQNd2ZV7ZNDaA' +
    'JFQBgDMDSDoxRKTqgh/Pp3wKPqEBQBWA8PjuN0HMfh+EukTCcNUj4iY7roEGVkSBb2aAoGU+CpSAOtCg==',
);
const LZ4 = base64(
  'BCJNGGRApygBAADyBGV2ZW50IDAgb2YgdXNlciAwOyATABUxEwAUMRMAFTITABQyEwAVMxMAFDMTABU0EwAUNBMAFT' +
    'UTABQ1EwAVNhMAFDYTABU3EwAFhQAVOBMABYUAFTkTAAWFABYxvwAFhgAWMcAABYcAFjHBAAWIABYxwgAFiQAWMcMA' +
    'BYoAFjHEAAWLABYxxQAGjAAGxgAGjAAGxwAGjAAGyAAFjAAWMsgABYwAFjLIAAWMABYyyAAFjAAWMsgABYwAFjLIAA' +
    'WMABYyyAAFjAAWMsgABowABsgABowABsgABowABsgABYwAFjPIAAWMABYzyAAFjAAWM8gABYwAFjPIAAWMABYzyAAF' +
    'jAAWM8gABYwAFjPIAAaMAAbIAAaMAAbIAAaMAATIAFByIDQ7IAAAAADj9MwH',
);
/** Its size, then literals of up to 60 bytes, each behind (length − 1) × 4. */
const SNAPPY = Buffer.concat([
  Buffer.from([(TEXT.length % 128) | 128, TEXT.length >> 7]),
  ...(TEXT.match(/.{1,60}/g) ?? []).map((part) =>
    Buffer.concat([Buffer.from([(part.length - 1) * 4]), Buffer.from(part)]),
  ),
]);
const XERIAL = Buffer.concat([
  Buffer.from('\x82SNAPPY\0\0\0\0\x01\0\0\0\x01', 'latin1'),
  int32(SNAPPY.length),
  SNAPPY,
  int32(SNAPPY.length),
  SNAPPY,
]);

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const SAMPLES = [
  ['LZ4', unpackLz4, LZ4, TEXT],
  ['Snappy in one block', unpackSnappy, SNAPPY, TEXT],
  ['Snappy in blocks of Java', unpackSnappy, XERIAL, TEXT + TEXT],
  ['Zstandard of known size', unpackZstd, ZSTD, TEXT],
  ['Zstandard of a stream', unpackZstd, ZSTD_OF_A_STREAM, TEXT],
  ['Zstandard of two frames', unpackZstd, Buffer.concat([ZSTD, ZSTD_OF_A_STREAM]), TEXT + TEXT],
] as const;

type Unpack = (packed: Buffer, maxBytes: number) => Buffer | Promise<Buffer>;

/** The result or the error of unpacking. */
async function ended(unpack: Unpack, packed: Buffer, maxBytes: number): Promise<Buffer | Error> {
  try {
    return await unpack(packed, maxBytes);
  } catch (error) {
    return error as Error;
  }
}

describe.each(SAMPLES)('%s', (_, unpack, packed, text) => {
  it('is unpacked up to the size limit, and rejected above it', async () => {
    expect((await unpack(packed, 1 << 20)).toString()).toBe(text);
    expect((await unpack(packed, text.length)).toString()).toBe(text);
    for (const bound of [0, 1, text.length - 1]) {
      expect(await ended(unpack, packed, bound)).toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
    }
  });

  it('gives bytes within the limit or a clear error if it is damaged', async () => {
    let state = 7;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const refused = new Set<string>();
    for (let n = repetitions(100, 50_000); n > 0; n--) {
      const bytes = mutated(packed, LZ4, random);
      const end = await ended(unpack, bytes, 2000);
      if (!(end instanceof Error)) expect(end.length).toBeLessThanOrEqual(2000);
      else {
        const isTooLarge = (end as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
        if (!isTooLarge) expect(end).toBeInstanceOf(UnreadableRecords);
        refused.add(end.message);
      }
    }
    expect(refused.size).toBeGreaterThan(0);
  });
});

describe('a frame of Zstandard', () => {
  const frame = (...bytes: number[]) => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...bytes]);
  const cannotUnpack =
    'Kafka records compressed with Zstandard are damaged: a frame cannot be decompressed';

  it.each([
    ['known size', ZSTD],
    ['a stream', ZSTD_OF_A_STREAM],
  ])('of %s is rejected as damaged if it is truncated anywhere', async (_, packed) => {
    for (let length = 1; length < packed.length; length++) {
      const end = await ended(unpackZstd, packed.subarray(0, length), 1 << 20);
      expect([length, end]).toEqual([length, expect.any(UnreadableRecords)]);
    }
    expect(await unpackZstd(packed.subarray(0, 0), 1 << 20)).toHaveLength(0);
  });

  it('is rejected if its block is damaged, and the next one is readable', async () => {
    // A packed block that has neither literals nor sequences.
    const hollow = frame(0x00, 0x58, 0x1d, 0x00, 0x00, 0xff, 0xff, 0xff);
    const swapped = Buffer.from(ZSTD);
    swapped.fill(0xff, 12, 20);
    const checksum = Buffer.from(ZSTD);
    checksum[checksum.length - 1] ^= 1;
    for (const bytes of [hollow, swapped, checksum]) {
      const end = await ended(unpackZstd, bytes, 1 << 20);
      expect((end as Error).message).toBe(cannotUnpack);
      expect((await unpackZstd(ZSTD, 1 << 20)).toString()).toBe(TEXT);
    }
  });

  it('is rejected if its size differs from its header', async () => {
    const end = await ended(unpackZstd, frame(0x20, 0x05, 0x19, 0, 0, 97, 98, 99), 1 << 20);
    expect((end as Error).message).toBe(cannotUnpack);
  });

  it('unpacks to nothing if it is empty', async () => {
    expect(await unpackZstd(frame(0x20, 0x00, 0x01, 0, 0), 0)).toHaveLength(0);
  });

  it('is rejected if it asks for a window of 2 GiB', async () => {
    // A frame of a stream with the exponent 21 of its window, 2 GiB.
    const greedy = Buffer.from(ZSTD_OF_A_STREAM);
    greedy[5] = 21 << 3;
    expect(await ended(unpackZstd, greedy, 1 << 20)).toMatchObject({
      code: 'ERR_BUFFER_TOO_LARGE',
    });
  });

  it('is rejected by its unpacked size if no header states it', async () => {
    // Blocks of one repeated byte, 128 KiB each, whose sum no header states.
    const block = Buffer.from([0x02, 0x00, 0x10, 0x2e]);
    const last = Buffer.from([0x03, 0x00, 0x10, 0x2e]);
    const head = frame(0x00, 0x58);
    const bomb = Buffer.concat([head, ...new Array(999).fill(block), last]);
    expect(await ended(unpackZstd, bomb, 1 << 20)).toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
    const small = Buffer.concat([head, block, last]);
    expect((await unpackZstd(small, 1 << 20)).equals(Buffer.alloc(2 << 17, '.'))).toBe(true);
  });
});
