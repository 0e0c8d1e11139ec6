import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectedComponents } from '../../../src/estimators/interventions/connected-components.js';
import { rake } from '../../../src/estimators/interventions/raking.js';
import type { UserRows } from '../../../src/estimators/interventions/user-rows.js';
import { finish } from '../../oracle/finish.js';

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
  const { userSides, itemSide, ...rest } = finish(rake([rowsOf(users)], items, 5));
  const user = users.map((own, u) =>
    own.reduce((sum, i) => sum + userSides[0][u] * itemSide[i], 0),
  );
  const item = Array.from({ length: items }, (_, i) =>
    users.reduce((sum, own, u) => sum + (own.includes(i) ? userSides[0][u] * itemSide[i] : 0), 0),
  );
  const total = user.reduce((a, b) => a + b, 0);
  return { user: user.map((w) => w / total), item: item.map((w) => w / total), ...rest };
}

const users = fc.array(fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 7 }), {
  minLength: 1,
  maxLength: 9,
});

describe('rake', () => {
  it('makes both margins uniform wherever some full cycle of rows supports it', () => {
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

  it('says so and stays finite where the rows fall apart', () => {
    const { components, isDamped, user, item } = margins([[0], [1, 2], [2, 1]], 3);
    expect({ components, isDamped }).toEqual({ components: 2, isDamped: true });
    for (const share of [...user, ...item]) expect(share).toBeGreaterThan(0.1);
  });

  it('says so where an item has too many users who have nothing else', () => {
    const { components, isDamped, user } = margins([[0], [0], [0], [0, 1, 2]], 3);
    expect({ components, isDamped }).toEqual({ components: 1, isDamped: true });
    for (const share of user) expect(share).toBeGreaterThan(0);
  });

  it('brings the margins no further from uniform than plain rows have them', () => {
    const distance = (shares: number[]) => {
      const used = shares.filter((share) => share > 0);
      return used.reduce((sum, share) => sum + Math.abs(share - 1 / used.length), 0) / 2;
    };
    fc.assert(
      fc.property(users, (own) => {
        const { user, item } = margins(own, 7);
        const rows = own.flat().length;
        const before =
          distance(own.map((items) => items.length / rows)) +
          distance(
            Array.from({ length: 7 }, (_, i) => own.flat().filter((j) => j === i).length / rows),
          );
        expect(distance(user) + distance(item)).toBeLessThan(before + 0.35);
      }),
    );
  });

  it('does not depend on how users are divided', () => {
    fc.assert(
      fc.property(users, (own) => {
        const whole = finish(rake([rowsOf(own)], 7, 3));
        const split = finish(rake([rowsOf(own.slice(0, 1)), rowsOf(own.slice(1))], 7, 1e9));
        split.itemSide.forEach((side, i) => {
          expect(Math.abs(side - whole.itemSide[i])).toBeLessThan(1e-6 * (1 + side));
        });
      }),
    );
  });

  it('gives nothing for no rows', () => {
    const { userSides, itemSide, components } = finish(rake([], 2, 10));
    expect({ userSides, itemSide: [...itemSide], components }).toEqual({
      userSides: [],
      itemSide: [0, 0],
      components: 0,
    });
  });
});

describe('connectedComponents', () => {
  it('counts what flooding the graph counts', () => {
    fc.assert(
      fc.property(users, (own) => {
        const left = new Set(own.keys());
        let expected = 0;
        while (left.size > 0) {
          expected++;
          const items = new Set<number>();
          const queue = [[...left][0]];
          for (const u of queue) {
            if (!left.delete(u)) continue;
            for (const i of own[u]) items.add(i);
            for (const other of left) if (own[other].some((i) => items.has(i))) queue.push(other);
          }
        }
        expect(finish(connectedComponents([rowsOf(own)], 7, 2))).toBe(expected);
      }),
    );
  });
});
