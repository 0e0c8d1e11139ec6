import { describe, expect, it } from 'vitest';
import { Watermarks } from '../../../../src/stream/panes/watermarks.js';
import type { LogEnd } from '../../../../src/stream/ports.js';
import { IdlePartitions } from '../../../../src/stream/read/idle-partitions.js';

/** One partition with lateness 5, panes of 10, idle after 100; the wall clock is the test's. */
function aPartition() {
  let elapsed = 0;
  const marks = new Watermarks(5, 10);
  const idle = new IdlePartitions([0], marks, { idleMs: 100, elapsed: () => elapsed });
  const pass = (ms: number) => {
    elapsed += ms;
  };
  const ends = (unread = 0): LogEnd[] => [
    { role: 'exposures', partition: 0, next: 7, end: 7 },
    { role: 'interactions', partition: 0, next: 7, end: 7 + unread },
  ];
  return { marks, idle, pass, ends };
}

/** Asked then, when so many records of each had been read. */
const at = (ms: number, read = 7) => ({ at: ms, evenly: ms, nextOffset: () => read });

describe('a partition', () => {
  it('restarts its idle time after a reset, and has to catch up again', () => {
    const { idle, pass, ends } = aPartition();
    for (const role of ['exposures', 'interactions'] as const) idle.reachEnd(role, 0);
    pass(100);
    expect(idle.haveCaughtUp).toBe(true);
    idle.reset();
    expect(idle.haveCaughtUp).toBe(false);
    pass(99);
    expect(idle.notice(ends(), at(1_200))).toBe(false);
    pass(1);
    expect(idle.notice(ends(), at(1_200))).toBe(true);
  });

  it('was just at its end by the time of the request, not of the answer', () => {
    const { idle, pass, ends } = aPartition();
    idle.reachEnd('exposures', 0);
    pass(20_000);
    expect(idle.wasJustAtEnd('exposures', 0)).toBe(false);
    idle.notice(ends(), { ...at(20_000), evenly: 1_000 });
    expect(idle.wasJustAtEnd('exposures', 0)).toBe(false);
    idle.notice(ends(), at(20_000));
    expect(idle.wasJustAtEnd('exposures', 0)).toBe(true);
    expect(idle.wasJustAtEnd('interactions', 0)).toBe(false);
  });

  it('was at its end after a moment only if it was checked after that moment', () => {
    const { idle, ends } = aPartition();
    for (const role of ['exposures', 'interactions'] as const) idle.reachEnd(role, 0);
    expect(idle.wasAtEnd(0, -1)).toBe(false);
    idle.notice(ends(), at(1_000));
    expect([999, 1_000].map((since) => idle.wasAtEnd(0, since))).toEqual([true, false]);
    idle.notice(ends(1), at(2_000));
    expect(idle.wasAtEnd(0, 1_500)).toBe(false);
  });
});
