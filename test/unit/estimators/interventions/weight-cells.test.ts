import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelIndex } from '../../../../src/estimators/interventions/level-index.js';
import { weightCells } from '../../../../src/estimators/interventions/weight-cells.js';
import { plainWindow } from '../../../oracle/arbitrary.js';
import { finish } from '../../../oracle/finish.js';
import { type PlainWindow, toPart } from '../../../oracle/window.js';

function cellsOf(window: PlainWindow, split: (user: number) => number, withUsers: boolean) {
  const groups = [0, 1].map((p) => window.users.filter((_, u) => split(u) === p));
  const parts = groups.map((users) => toPart(users, 2));
  const items = finish(levelIndex([Float64Array.from(window.interactions)]));
  const itemLevel = Int32Array.from(window.interactions, (n) => items.indexOf(n));
  const users = withUsers ? finish(levelIndex(parts.map((part) => part.userCount))) : null;
  const weightOf = (u: number, i: number) =>
    items.counts[i] === 3 ? 0 : 1 / ((users?.counts[u] ?? 0) + 1) / (items.counts[i] + 1);
  const work = weightCells(parts, users, itemLevel, items.counts.length, weightOf, 3);
  const { cells, weight, rows } = finish(work);
  return { weight: [...weight.subarray(0, cells)], rows: [...rows.subarray(0, cells)] };
}

describe('weightCells', () => {
  it('holds every row of weight once, under its weight', () => {
    fc.assert(
      fc.property(plainWindow(), fc.boolean(), (window, withUsers) => {
        const { weight, rows } = cellsOf(window, () => 0, withUsers);
        const byWeight = new Map<number, number>();
        weight.forEach((w, c) => {
          byWeight.set(w, (byWeight.get(w) ?? 0) + rows[c]);
        });
        const expected = new Map<number, number>();
        for (const user of window.users) {
          for (const { item } of user.rows) {
            const n = window.interactions[item];
            if (n === 3) continue;
            const w = 1 / ((withUsers ? user.count : 0) + 1) / (n + 1);
            expected.set(w, (expected.get(w) ?? 0) + 1);
          }
        }
        expect(byWeight).toEqual(expected);
      }),
    );
  });

  it('comes in the same order whatever the order of users, rows and parts', () => {
    fc.assert(
      fc.property(plainWindow(), fc.boolean(), (window, withUsers) => {
        const turned = {
          ...window,
          users: window.users
            .map((user) => ({ ...user, rows: [...user.rows].reverse() }))
            .reverse(),
        };
        const one = cellsOf(window, () => 0, withUsers);
        expect(cellsOf(turned, (u) => u % 2, withUsers)).toEqual(one);
      }),
    );
  });

  it('numbers counts in ascending order, whether small, large or not whole', () => {
    const { counts, indexOf } = finish(
      levelIndex([Float64Array.of(9000, 2, 0), Float64Array.of(2.5, 2)]),
    );
    expect([...counts]).toEqual([0, 2, 2.5, 9000]);
    expect([0, 2, 2.5, 9000].map(indexOf)).toEqual([0, 1, 2, 3]);
  });
});
