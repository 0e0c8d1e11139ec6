import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash64, hash64View, hashBytes, hashView } from '../../../../src/events/hash.js';

const halvesOf = (bytes: Uint8Array) => {
  const out = new Int32Array(2);
  hash64(bytes, 0, bytes.length, out);
  return out;
};

describe('the hashes of a view', () => {
  it('equal the hashes of its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(8), (range, offset) => {
        const view = new DataView(new ArrayBuffer(range.length + 16));
        for (const [i, byte] of range.entries()) view.setUint8(offset + i, byte);
        const end = offset + range.length;
        expect(hashView(view, offset, end)).toBe(hashBytes(range, 0, range.length));
        const out = new Int32Array(2);
        hash64View(view, offset, end, out);
        expect(out).toEqual(halvesOf(range));
      }),
    );
  });
});
