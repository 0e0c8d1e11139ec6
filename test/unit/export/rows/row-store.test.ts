import { describe, expect, it } from 'vitest';
import { RowStore } from '../../../../src/export/row-store.js';
import { MemorySpill } from '../../../support/sets.js';

const MANY = 60_000;

describe('stored rows', () => {
  it.each([
    ['in memory', Number.POSITIVE_INFINITY],
    ['on disk', 500_000],
  ])('are all read back from %s, also from a large partition', async (_, maxBytes) => {
    const store = new RowStore(maxBytes, async () => new MemorySpill());
    for (let n = 0; n < MANY; n++) {
      store.room(n % 10 === 0 ? 7 : 3).push(n, n / 2, n, 1, 2, 3, 4, 5);
      if (store.isFull) await store.spill();
    }
    expect(store.hasSpilled).toBe(Number.isFinite(maxBytes));
    const rows = await store.read(3);
    const few = await store.read(7);
    expect(rows.length + few.length).toBe(MANY);
    const users = Array.from({ length: rows.length }, (__, r) => rows.user(r));
    expect(new Set(users).size).toBe(rows.length);
    expect([rows.ts(5), rows.value(5), rows.flags(5)]).toEqual([users[5], users[5] / 2, 5]);
    expect((await store.read(0)).length).toBe(0);
    await store.close();
  });

  it('can be added while others are being written to disk', async () => {
    const store = new RowStore(1, async () => new MemorySpill());
    store.room(1).push(1, 0, 1, 0, 0, 0, 0, 0);
    const first = store.spill();
    store.room(1).push(2, 0, 2, 0, 0, 0, 0, 0);
    await Promise.all([first, store.spill()]);
    store.room(1).push(3, 0, 3, 0, 0, 0, 0, 0);
    const rows = await store.read(1);
    expect(Array.from({ length: rows.length }, (_, r) => rows.user(r)).sort()).toEqual([1, 2, 3]);
    await store.close();
  });

  it('can be replaced by fewer rows', async () => {
    for (const maxBytes of [1, 1e9]) {
      const store = new RowStore(maxBytes, async () => new MemorySpill());
      for (let n = 0; n < 100; n++) store.room(2).push(n, 0, n, 0, 0, 0, 0, 0);
      if (store.isFull) await store.spill();
      const rows = await store.read(2);
      rows.length = 40;
      await store.replace(2, rows);
      expect((await store.read(2)).length).toBe(40);
      await store.close();
    }
  });
});
