import { describe, expect, it } from 'vitest';
import { format, within } from '../../reproduce/table.js';

describe('a reproduced table', () => {
  it('is off beyond the tolerance on either side, or without a number', () => {
    const verdicts = [0.9, 1.1, 0.89, 1.11, Number.NaN, Number.NEGATIVE_INFINITY].map(
      (ours) => within('x', '1', ours, 1, 0.1).isOk,
    );
    expect(verdicts).toEqual([true, true, false, false, false, false]);
  });

  it('marks each row that has a target as ok or OFF', () => {
    const shown = { what: 'c', paper: '–', ours: '3', heldTo: '–', isOk: true };
    const rows = [within('a', '1', 1, 1, 0.1), within('b', '1', 2, 1, 0.1), shown];
    const lines = format({ title: 'T', rows, note: 'n' }).split('\n');
    expect(lines[0]).toBe('T');
    expect(lines.slice(3, 6).map((line) => line.trim().split(/\s+/).at(-1))).toEqual([
      'ok',
      'OFF',
      '–',
    ]);
    expect(lines[7]).toBe('n');
  });
});
