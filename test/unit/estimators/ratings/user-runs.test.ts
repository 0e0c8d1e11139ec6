import { describe, expect, it } from 'vitest';
import { longestOf, userRuns } from '../../../../src/features/ratings/user-runs.js';
import type { WeighedPart } from '../../../../src/features/ratings/weighed-part.js';

/** As far as runs look at it. */
function rowsOf(ratings: readonly number[]): WeighedPart {
  const start = Int32Array.from([0, ...ratings]);
  for (let s = 0; s < ratings.length; s++) start[s + 1] += start[s]!;
  const part = { users: ratings.length, start };
  return { part } as unknown as WeighedPart;
}

describe('runs of users', () => {
  it('hold every user of every part once, and none of them a part of one', () => {
    const parts = [rowsOf([20_000, 20_000, 5, 100_000]), rowsOf([]), rowsOf([3, 0])];
    const runs = userRuns(parts).all.map(({ rows, from, to, first }) => ({
      ...{ part: parts.indexOf(rows), from, to, first },
    }));
    expect(runs).toEqual([
      { part: 0, from: 0, to: 2, first: 0 },
      { part: 0, from: 2, to: 4, first: 0 },
      { part: 2, from: 0, to: 2, first: 4 },
    ]);
    expect(longestOf(userRuns(parts).all)).toBe(100_005);
    expect(longestOf([])).toBe(0);
  });
});
