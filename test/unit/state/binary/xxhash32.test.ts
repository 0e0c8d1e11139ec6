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

  it('does not depend on where it is divided, at multiples of 16 bytes', () => {
    const whole = bytes(`${'0123456789abcdef'.repeat(9)}rest`);
    const wanted = new XxHash32(7).update(whole).digest();
    for (let at = 0; at <= 144; at += 16) {
      const parts = new XxHash32(7).update(whole.subarray(0, at)).update(whole.subarray(at));
      expect(parts.digest()).toBe(wanted);
    }
    const early = new XxHash32().update(whole.subarray(0, 5));
    expect(() => early.update(whole)).toThrow(RangeError);
  });

  it('notices each bit that is turned', () => {
    const whole = bytes('a checkpoint of some length, not a multiple of four');
    const wanted = new XxHash32().update(whole).digest();
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const turned = whole.slice();
      turned[bit >> 3]! ^= 1 << (bit & 7);
      expect(new XxHash32().update(turned).digest()).not.toBe(wanted);
    }
  });
});

it('is the same at once as in parts, at every length and with any seed', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, n) => (n * 151 + 17) % 256);
  for (let length = 0; length <= bytes.length; length++) {
    for (const seed of [0, 1, 0x756e736b, 0xffffffff]) {
      const wanted = new XxHash32(seed).update(bytes.slice(0, length)).digest();
      expect(xxHash32(bytes, length, seed)).toBe(wanted);
    }
  }
});
