import { describe, expect, it } from 'vitest';
import { RollingCounts } from '../../../../src/state/counts/rolling-counts.js';

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

  it('give the start of counting, rounded down to a bucket', () => {
    // 2,400 panes in 240 buckets: each is ten long.
    const counts = new RollingCounts(2400, 1);
    expect(counts.since).toBe(Number.POSITIVE_INFINITY);
    counts.add(once(1), 25);
    counts.add(once(1), 400);
    expect(counts.since).toBe(20);
    counts.advance(2430);
    expect(counts.since).toBe(390);
  });
});
