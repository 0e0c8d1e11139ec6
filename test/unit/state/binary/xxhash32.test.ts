import { describe, expect, it } from 'vitest';
import { XxHash32, xxHash32 } from '../../../../src/state/binary/xxhash32.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const hash = (text: string, seed = 0) => new XxHash32(seed).update(bytes(text)).digest();

describe('XXH32', () => {
  it('gives the published values of the reference implementation', () => {
    expect(hash('')).toBe(0x02cc5d05);
    expect(hash('a')).toBe(0x550d7456);
    expect(hash('abc')).toBe(0x32d153ff);
    expect(hash('Nobody inspects the spammish repetition')).toBe(0xe2293b2f);
    expect(hash('', 0x9e3779b1)).toBe(0x36b78ae7);
  });
});

it('XXH32 in one call equals XXH32 by updates, at every length and seed', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, n) => (n * 151 + 17) % 256);
  for (let length = 0; length <= bytes.length; length++) {
    for (const seed of [0, 1, 0x756e736b, 0xffffffff]) {
      const wanted = new XxHash32(seed).update(bytes.slice(0, length)).digest();
      expect(xxHash32(bytes, length, seed)).toBe(wanted);
    }
  }
});
