import { describe, expect, it } from 'vitest';
import {
  EXPOSURE,
  ExposureColumns,
  HAS_PROPENSITIES,
  HAS_REQUEST,
  INTERACTION,
  InteractionColumns,
  REQUEST,
  type RequestColumns,
} from '../../../src/events/columns.js';

const COUNT = 9;
type Columns = InteractionColumns | ExposureColumns | RequestColumns;

/** A number for each row of each column, no two alike in a row. */
function numbered(columns: Columns, table: object): void {
  const arrays = columns as unknown as Record<string, Int32Array>;
  Object.keys(table).forEach((name, c) => {
    for (let r = 0; r < COUNT; r++) arrays[name]![r] = 10 * r + c;
  });
}

function rowOf(columns: Columns, table: object, r: number): number[] {
  const arrays = columns as unknown as Record<string, Int32Array>;
  return Object.keys(table).map((name) => arrays[name]![r]!);
}

describe('rows added to other columns', () => {
  it('keep all columns of an interaction, beyond the initial capacity', () => {
    const from = new InteractionColumns(COUNT);
    numbered(from, INTERACTION);
    from.length = COUNT;
    const to = new InteractionColumns(2);
    to.addRows(from, Int32Array.of(8));
    to.addRows(from, Int32Array.of(1, 3, 4, 7));
    expect(to.length).toBe(5);
    [8, 1, 3, 4, 7].forEach((r, at) => {
      expect(rowOf(to, INTERACTION, at)).toEqual(rowOf(from, INTERACTION, r));
    });
  });

  it('keep all columns of an exposure, with its list and any propensities', () => {
    const from = new ExposureColumns(COUNT, 64);
    numbered(from, EXPOSURE);
    from.propensities = new Float32Array(64);
    for (let r = 0; r < COUNT; r++) {
      from.flags[r] = r % 2 === 0 ? HAS_PROPENSITIES : 0;
      from.listStart[r + 1] = from.listStart[r]! + r;
      for (let at = from.listStart[r]!; at < from.listStart[r + 1]!; at++) {
        from.items[at] = 100 + at;
        from.propensities[at] = 1 / (at + 2);
      }
    }
    from.length = COUNT;
    const to = new ExposureColumns(1, 1);
    to.addRows(from, Int32Array.of(2, 5, 6));
    expect(to.length).toBe(3);
    [2, 5, 6].forEach((r, at) => {
      expect(rowOf(to, EXPOSURE, at)).toEqual(rowOf(from, EXPOSURE, r));
      const list = (of: ExposureColumns, row: number, column: 'items' | 'propensities') => [
        ...of[column].subarray(of.listStart[row], of.listStart[row + 1]),
      ];
      expect(list(to, at, 'items')).toEqual(list(from, r, 'items'));
      if (r % 2 === 1) return;
      expect(list(to, at, 'propensities')).toEqual(list(from, r, 'propensities'));
    });
  });

  it('keep all columns of their requests, beyond the initial capacity', () => {
    const from = new ExposureColumns(COUNT, 64);
    from.reserveRequest();
    numbered(from.requests, REQUEST);
    from.length = COUNT;
    from.flags.fill(HAS_REQUEST);
    const to = new ExposureColumns(1, 1);
    to.addRows(new ExposureColumns(COUNT, 64), Int32Array.of(0));
    expect(to.requests.share.length).toBe(0);
    for (const rows of [[2, 5], [6], [7, 8]]) to.addRows(from, Int32Array.from(rows));
    [2, 5, 6, 7, 8].forEach((r, n) => {
      expect(rowOf(to.requests, REQUEST, n + 1)).toEqual(rowOf(from.requests, REQUEST, r));
    });
  });
});
