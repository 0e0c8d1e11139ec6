import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rake, type UserRows } from '../../../src/estimators/interventions/raking.js';

function rowsOf(users: readonly number[][]): UserRows {
  const userStart = [0];
  for (const items of users) userStart.push(userStart[userStart.length - 1] + items.length);
  return {
    users: users.length,
    userStart: Int32Array.from(userStart),
    item: Int32Array.from(users.flat()),
  };
}

/** Shares of users and items in the weights. */
function margins(users: readonly number[][], items: number) {
  const { userSide, itemSide, ...rest } = rake(rowsOf(users), items);
  const user = users.map((own, u) => own.reduce((sum, i) => sum + userSide[u] * itemSide[i], 0));
  const item = Array.from({ length: items }, (_, i) =>
    users.reduce((sum, own, u) => sum + (own.includes(i) ? userSide[u] * itemSide[i] : 0), 0),
  );
  const total = user.reduce((a, b) => a + b, 0);
  return { user: user.map((w) => w / total), item: item.map((w) => w / total), ...rest };
}

describe('rake', () => {
  it('makes both margins uniform if a full cycle of rows supports it', () => {
    // A cycle over all users and items has uniform weights of its own; more rows cannot hurt.
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 12 }), (extra) => {
        const own = Array.from({ length: 7 }, (_, u) => new Set([u, (u + 1) % 7]));
        for (const [u, i] of extra) own[u].add(i);
        const { user, item, isDamped, components } = margins(
          own.map((items) => [...items]),
          7,
        );
        expect(components).toBe(1);
        expect(isDamped).toBe(false);
        for (const share of [...user, ...item]) expect(Math.abs(share - 1 / 7)).toBeLessThan(1e-9);
      }),
    );
  });
});
