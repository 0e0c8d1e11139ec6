import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowIndex } from '../../../../src/state/requests/row-index.js';

/** Halves of which many are the same, and so stand one behind the other. */
const half = fc.constantFrom(0, 1, -1, 2, 0x40000000, -0x80000000);
const steps = fc.array(fc.record({ high: half, low: half, isDeleted: fc.boolean() }), {
  maxLength: 200,
});

it('finds the row that was set last by an id, and none after it was deleted', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const index = new RowIndex({ high: (row) => all[row].high, low: (row) => all[row].low });
      const known = new Map<string, number>();
      for (const [row, { high, low, isDeleted }] of all.entries()) {
        if (isDeleted) {
          index.delete(high, low);
          known.delete(`${high} ${low}`);
        } else {
          index.set(row);
          known.set(`${high} ${low}`, row);
        }
        for (const each of all) {
          const expected = known.get(`${each.high} ${each.low}`) ?? -1;
          expect(index.find(each.high, each.low)).toBe(expected);
        }
      }
    }),
  );
});

it('keeps many rows through growth and deletion', () => {
  const of = (row: number) => Math.imul(row, 0x9e3779b1);
  const index = new RowIndex({ high: of, low: (row) => ~of(row) });
  for (let row = 0; row < 10_000; row++) index.set(row);
  for (let row = 0; row < 10_000; row += 3) index.delete(of(row), ~of(row));
  for (let row = 0; row < 10_000; row++) {
    expect(index.find(of(row), ~of(row))).toBe(row % 3 === 0 ? -1 : row);
  }
});
