import { describe, expect, it } from 'vitest';
import { RollingCounts } from '../../../../src/state/counts/rolling-counts.js';
import { Tally } from '../../../../src/state/counts/sparse-counts.js';

const once = (...ids: number[]) => ({
  ids: Int32Array.from(ids),
  counts: new Int32Array(ids.length).fill(1),
});

describe('rolling counts', () => {
  it('hold exactly the panes of the horizon when a bucket is a pane', () => {
    const counts = new RollingCounts(30, 10);
    for (let pane = 1; pane <= 20; pane++) {
      counts.add(once(pane % 4), pane * 10);
      counts.advance(pane * 10);
      const wanted = [0, 0, 0, 0];
      for (let p = Math.max(1, pane - 2); p <= pane; p++) wanted[p % 4]++;
      expect([0, 1, 2, 3].map((id) => counts.counts[id])).toEqual(wanted);
    }
  });

  it('let a long horizon go by buckets that depend on the time alone', () => {
    const perPane = new RollingCounts(1000, 1);
    const sparse = new RollingCounts(1000, 1);
    for (let pane = 1; pane <= 3000; pane++) {
      perPane.add(once(0), pane);
      perPane.advance(pane);
      if (pane % 7 === 0 || pane === 3000) {
        sparse.add(once(...(pane % 7 === 0 ? [0] : [])), pane);
        sparse.advance(pane);
      }
    }
    // The same edge, 2000 < pane <= 3000, although fewer panes moved the time.
    expect(perPane.counts[0]).toBe(1000);
    expect(sparse.counts[0]).toBe(Math.floor(3000 / 7) - Math.floor(2000 / 7));
  });

  it('say since when they count, to a bucket', () => {
    // 2,400 panes in 240 buckets: each is ten long.
    const counts = new RollingCounts(2400, 1);
    expect(counts.since).toBe(Number.POSITIVE_INFINITY);
    counts.add(once(1), 25);
    counts.add(once(1), 400);
    expect(counts.since).toBe(20);
    counts.advance(2430);
    expect(counts.since).toBe(390);
  });

  it('come back to zero when all has expired', () => {
    const counts = new RollingCounts(50, 10);
    for (let pane = 1; pane < 9; pane++) counts.add(once(pane, 99), pane * 10);
    counts.advance(1_000);
    expect([...counts.counts.subarray(0, counts.size)].every((n) => n === 0)).toBe(true);
  });

  it('keep everything under an infinite horizon', () => {
    const counts = new RollingCounts(Number.POSITIVE_INFINITY, 1);
    for (let pane = 1; pane < 100; pane++) {
      counts.add(once(5), pane);
      counts.advance(pane);
    }
    expect(counts.counts[5]).toBe(99);
  });
});

describe('a tally', () => {
  it('hands out counts in order of first occurrence and starts again', () => {
    const tally = new Tally();
    for (const id of [7, 2, 7, 5000, 7]) tally.add(id);
    const drained = tally.drain();
    expect([...drained.ids]).toEqual([7, 2, 5000]);
    expect([...drained.counts]).toEqual([3, 1, 1]);
    expect(tally.drain().ids.length).toBe(0);
  });
});
