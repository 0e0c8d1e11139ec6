import { describe, expect, it } from 'vitest';
import { COMPRESSORS } from '../../../../src/adapters/parquet/compressors.js';

/** `abcabcabcabc` and three literals behind it, as one block of LZ4. */
const BLOCK = Buffer.from([0x35, 97, 98, 99, 3, 0, 0x30, 100, 101, 102]);
const TEXT = 'abcabcabcabcdef';

const behindLengths = (unpacked: number, packed: Buffer) => {
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(unpacked);
  lengths.writeUInt32BE(packed.length, 4);
  return Buffer.concat([lengths, packed]);
};
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('pages packed with LZ4', () => {
  it('are read as one block and as Hadoop blocks', () => {
    const two = Buffer.concat([behindLengths(15, BLOCK), behindLengths(15, BLOCK)]);
    expect(text(COMPRESSORS.LZ4_RAW!(BLOCK, 15))).toBe(TEXT);
    expect(text(COMPRESSORS.LZ4!(BLOCK, 15))).toBe(TEXT);
    expect(text(COMPRESSORS.LZ4!(two, 30))).toBe(TEXT + TEXT);
  });

  it('are rejected as damaged if their length differs from the stated one', () => {
    const one = behindLengths(15, BLOCK);
    for (const length of [14, 16]) {
      expect(() => COMPRESSORS.LZ4_RAW!(BLOCK, length)).toThrow('an LZ4 block is damaged');
      expect(() => COMPRESSORS.LZ4!(BLOCK, length)).toThrow('an LZ4 block is damaged');
      expect(() => COMPRESSORS.LZ4!(one, length)).toThrow('an LZ4 block is damaged');
    }
    for (let length = 1; length < one.length; length++) {
      expect(() => COMPRESSORS.LZ4!(one.subarray(0, length), 15)).toThrow(
        'an LZ4 block is damaged',
      );
    }
  });
});
