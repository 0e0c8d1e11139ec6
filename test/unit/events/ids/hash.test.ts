import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash64, hash64View, hashBytes, hashView } from '../../../../src/events/hash.js';

const utf8 = new TextEncoder();
const halvesOf = (bytes: Uint8Array) => {
  const out = new Int32Array(2);
  hash64(bytes, 0, bytes.length, out);
  return out;
};

describe('hashBytes', () => {
  it('is MurmurHash3 (x86, 32 bit, seed 0), by its published verification values', () => {
    const published: [string, number][] = [
      ['', 0],
      ['test', 0xba6bd213],
      ['Hello, world!', 0xc0363e43],
      ['The quick brown fox jumps over the lazy dog', 0x2e4ff723],
    ];
    for (const [text, hash] of published) {
      const bytes = utf8.encode(text);
      expect(hashBytes(bytes, 0, bytes.length) >>> 0).toBe(hash);
    }
  });

  it('depends on the range alone, wherever it lies', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.uint8Array(), (before, range, after) => {
        const framed = Uint8Array.from([...before, ...range, ...after]);
        const end = before.length + range.length;
        expect(hashBytes(framed, before.length, end)).toBe(hashBytes(range, 0, range.length));
        const out = new Int32Array(2);
        hash64(framed, before.length, end, out);
        expect(out).toEqual(halvesOf(range));
      }),
    );
  });
});

describe('the hashes of a view', () => {
  it('are those of its bytes', () => {
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

describe('each half of hash64 and hashBytes', () => {
  const hashes: [string, (bytes: Uint8Array) => number][] = [
    ['hashBytes', (bytes) => hashBytes(bytes, 0, bytes.length)],
    ['high', (bytes) => halvesOf(bytes)[0]],
    ['low', (bytes) => halvesOf(bytes)[1]],
    // Were the halves alike, their difference would not look random.
    ['high ^ low', (bytes) => halvesOf(bytes)[0] ^ halvesOf(bytes)[1]],
  ];

  it.each(hashes)('flips every bit half of the time when one input bit flips: %s', (_, hash) => {
    const flips = new Float64Array(32);
    let trials = 0;
    for (let i = 0; i < 400; i++) {
      const bytes = utf8.encode(`user-${i * 7919}`);
      const original = hash(bytes);
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        bytes[bit >> 3] ^= 1 << (bit & 7);
        const difference = hash(bytes) ^ original;
        bytes[bit >> 3] ^= 1 << (bit & 7);
        for (let out = 0; out < 32; out++) flips[out] += (difference >>> out) & 1;
        trials++;
      }
    }
    // About 30,000 trials: five standard errors are 0.015.
    for (const count of flips) expect(Math.abs(count / trials - 0.5)).toBeLessThan(0.015);
  });

  it.each(hashes)(
    'collides among 200,000 numbered ids as seldom as chance would: %s',
    (_, hash) => {
      const seen = new Set<number>();
      const count = 200_000;
      for (let i = 0; i < count; i++) seen.add(hash(utf8.encode(`item-${i}`)));
      // Expected count²/2³³ = 4.7; twenty is seven standard deviations above.
      expect(count - seen.size).toBeLessThan(20);
    },
  );
});
