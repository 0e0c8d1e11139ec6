import { describe, expect, it } from 'vitest';
import {
  type CountedUsers,
  heavyUsers,
} from '../../../../src/estimators/diagnostics/heavy-users.js';

const of = (...counts: number[]): CountedUsers => ({
  counts: Int32Array.from(counts),
  nameOf: (user) => `u${user}`,
});

const alike = (users: number, count: number) => Array.from({ length: users }, () => count);

describe('heavy users', () => {
  it('have at least 1 % of all interactions and 20 times the median', () => {
    const { named, median, largestShare } = heavyUsers(of(...alike(1000, 10), 200));
    expect({ median, largestShare }).toEqual({ median: 10, largestShare: 200 / 10_200 });
    expect(named).toEqual([{ user: 'u1000', interactions: 200, share: 200 / 10_200 }]);
    expect(heavyUsers(of(...alike(1000, 10), 199)).apart).toBe(0);
    // Twenty times the median, and too small a share.
    expect(heavyUsers(of(...alike(3000, 10), 200)).apart).toBe(0);
  });
});
