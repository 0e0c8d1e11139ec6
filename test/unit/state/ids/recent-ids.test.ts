import { describe, expect, it } from 'vitest';
import { BinaryReader } from '../../../../src/state/binary/binary-reader.js';
import { BinaryWriter } from '../../../../src/state/binary/binary-writer.js';
import { RecentIds } from '../../../../src/state/ids/recent-ids.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';

describe('recent ids', () => {
  it('find an id within the ttl before or after it, and not beyond', () => {
    const seen = new RecentIds(100, true);
    expect(seen.add(1, 2, 1000, 42)).toBe(-1);
    expect(seen.add(1, 2, 1100)).toBe(42);
    expect(seen.add(1, 2, 900)).toBe(42);
    expect(seen.find(1, 2, 1101)).toBe(-1);
    expect(seen.find(2, 1, 1000)).toBe(-1);
    expect(seen.add(0, 0, 1000)).toBe(-1);
    expect(seen.add(0, 0, 1000)).toBe(0);
  });
});

describe('captured and restored ids', () => {
  it.each([
    [90_000, 240_000],
    [240_000, 90_000],
    [1_000, 3_600_000],
    [3_600_000, 1_000],
    [61_000, 60_000],
  ])('with a ttl of %d instead of %d are found within the new ttl', (own, before) => {
    for (const values of [true, false]) {
      const original = new RecentIds(before, values);
      for (let n = 0; n < 1_000; n++) original.add(n << 16, n, n * 820, n % 7);
      original.expire(300_000);
      const to = new BinaryWriter();
      runAtOnce(original.capture()(to));
      const again = new RecentIds(own, values);
      runAtOnce(again.restore(new BinaryReader(Buffer.concat(to.finish())), before));
      let found = 0;
      for (let n = 0; n < 1_000; n++) {
        const known = original.find(n << 16, n, n * 820) >= 0;
        const wanted = known ? (values ? n % 7 : 0) : -1;
        expect(again.find(n << 16, n, n * 820)).toBe(wanted);
        expect(again.find(n << 16, n, n * 820 + own)).toBe(wanted);
        expect(again.find(n << 16, n, n * 820 + own + 1)).toBe(-1);
        if (known) found++;
      }
      expect(found).toBeGreaterThan(500);
      expect(again.size).toBe(original.size);
      // Ids that are added later are found like any other.
      expect(again.add(1, 5_000, 900_000, 3)).toBe(-1);
      expect(again.find(1, 5_000, 900_000 + own)).toBe(values ? 3 : 0);
    }
  });

  it('are found and expire as before, without ids added after the capture', () => {
    const ttlMs = 90_000;
    const original = new RecentIds(ttlMs, true);
    // Seven minutes, of which the first have been forgotten.
    for (let n = 0; n < 4_000; n++) original.add(n << 16, n, n * 105, n % 7);
    original.expire(180_000);
    const write = original.capture();
    for (let n = 4_000; n < 4_500; n++) original.add(n << 16, n, n * 105, n % 7);
    const to = new BinaryWriter();
    runAtOnce(write(to));
    const again = new RecentIds(ttlMs, true);
    runAtOnce(again.restore(new BinaryReader(Buffer.concat(to.finish())), ttlMs));
    for (let n = 0; n < 4_500; n++) {
      const wanted = n * 105 < 180_000 || n >= 4_000 ? -1 : n % 7;
      // The latest time that is still within the ttl.
      expect(again.find(n << 16, n, n * 105 + ttlMs)).toBe(wanted);
      expect(again.find(n << 16, n, n * 105 + ttlMs + 1)).toBe(-1);
    }
    again.expire(300_000);
    original.expire(300_000);
    for (let n = 0; n < 4_000; n++) {
      expect(again.find(n << 16, n, n * 105)).toBe(original.find(n << 16, n, n * 105));
    }
  });
});
