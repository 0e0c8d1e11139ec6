import { expect, it } from 'vitest';
import { Watermarks } from '../../../src/stream/panes/watermarks.js';
import { IdlePartitions } from '../../../src/stream/read/idle-partitions.js';

const ROLES = ['exposures', 'interactions'] as const;
const LATENESS_MS = 100;
const CLOCK = 1_000_000;
const progress = { partitions: { clicks: 1 }, newest: { 'clicks/0': 5_000 }, emptyAt: {} };

/** Two partitions, of which the second has been silent for long, and is read to its end. */
function silentOne(areBrought: boolean) {
  const watermarks = new Watermarks(LATENESS_MS, 1_000);
  let elapsed = 0;
  const idle = new IdlePartitions([0, 1], watermarks, {
    idleMs: 10,
    areBrought,
    elapsed: () => elapsed,
  });
  for (const role of ROLES) watermarks.progressed(role, 0, progress);
  elapsed = 1_000;
  const ends = ROLES.map((role) => ({ role, partition: 1, next: 0, end: 0 }));
  idle.notice(ends, { at: CLOCK, evenly: elapsed, nextOffset: () => undefined });
  return watermarks;
}

it('a silent partition holds the watermark back if an intake writes it', () => {
  const watermarks = silentOne(true);
  expect(watermarks.value()).toBe(Number.NEGATIVE_INFINITY);
  for (const role of ROLES) watermarks.progressed(role, 1, progress);
  expect(watermarks.value()).toBe(5_000 - LATENESS_MS);
});
