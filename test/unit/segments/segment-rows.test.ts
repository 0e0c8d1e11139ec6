import { describe, expect, it } from 'vitest';
import type {
  SegmentNumbers,
  SegmentReport,
} from '../../../src/estimators/results/segment-report.js';
import { withSegmentAxes } from '../../../src/estimators/segments/segment-axes.js';
import { FIRST_VALUE, OTHER } from '../../../src/events/dimensions.js';
import { SegmentValues } from '../../../src/events/segment-table.js';
import { segmentRows } from '../../../src/features/segments/segment-rows.js';
import type { WindowPart } from '../../../src/state/panes/window-part.js';

const SIZES = [1, 100, 400, 400, 400, 400, 400, 400];

/** One dimension of six values, after the missing one (too small) and all others together. */
function number(value: number, gaps?: readonly number[]): SegmentNumbers {
  const column = (of: (at: number) => number) => SIZES.map((_, at) => of(at));
  return {
    model: 'm',
    metric: 'recall',
    k: 5,
    estimator: 'snips',
    form: 'pooled',
    value: column((at) => value + at / 100),
    stdErr: column((at) => 0.5 / Math.sqrt(SIZES[at]!)),
    lower: column(() => 0),
    upper: column(() => 1),
    share: column((at) => SIZES[at]! / 2501),
    contribution: column(() => 0),
    users: SIZES,
    ess: SIZES,
    ...(gaps && { difference: { reference: 'r', value: gaps, stdErr: SIZES.map(() => 0.01) } }),
  };
}

const AXES: Omit<SegmentReport, 'numbers'> = {
  dimensions: ['device'],
  names: [['', '', 'a', 'b', 'c', 'd', 'e', 'f']],
  rows: [SIZES],
  hidden: [3],
  minUsers: 30,
};

describe('estimates by segment as rows', () => {
  it('hide all numbers of a segment with too few users', () => {
    const [missing, other] = segmentRows(AXES, [
      number(
        0.1,
        SIZES.map(() => 0.5),
      ),
    ]);
    expect(missing).toMatchObject({ kind: 'missing', isHidden: true, estimate: null });
    expect(missing).toMatchObject({ lower: null, contribution: null, difference: null });
    expect(missing!.share).toBeGreaterThan(0);
    expect(other).toMatchObject({ kind: 'other', isHidden: false, estimate: 0.1 + 0.01 });
  });

  it('have shrunken values from six segments on', () => {
    const rows = segmentRows(AXES, [number(0.1)]).filter(({ isHidden }) => !isHidden);
    const range = (values: number[]) => Math.max(...values) - Math.min(...values);
    expect(range(rows.map(({ shrunken }) => shrunken!.value))).toBeLessThan(
      range(rows.map(({ estimate }) => estimate!)),
    );
    const few = { ...AXES, minUsers: 200 };
    const five = { ...few, names: [AXES.names[0]!.slice(0, 7)] };
    const short = number(0.1);
    expect(segmentRows(five, [short]).every(({ shrunken }) => shrunken === null)).toBe(true);
  });

  it('mark the differences that are significant among all that are tested', () => {
    const gaps = SIZES.map((_, at) => (at === 4 ? 0.05 : 0.015));
    const rows = segmentRows(AXES, [number(0.1, gaps)]);
    expect(rows.filter(({ difference }) => difference?.isFound).map(({ value }) => value)).toEqual([
      'c',
    ]);
    // Alone, a gap of 1.96 errors would pass.
    expect(rows[3]!.difference!.p).toBeCloseTo(0.134, 2);
  });
});

describe('the values of a dimension', () => {
  it('are limited in number, and further values are counted', () => {
    const values = new SegmentValues(100);
    const codes = Array.from({ length: 10_000 }, (_, n) => values.codeOf(`v${n}`));
    expect(codes.slice(0, 100)).toEqual(codes.slice(0, 100).map((_, n) => n + FIRST_VALUE));
    expect(codes.slice(100).every((code) => code === OTHER)).toBe(true);
    expect(values.overflow).toBe(9_900);
    expect(values.codeOf('v7')).toBe(7 + FIRST_VALUE);
  });

  it('are in order of rows, then name, not of arrival', () => {
    const rows = 10_000;
    const names = ['', '', ...Array.from({ length: rows }, (_, n) => `v${n}`)];
    const codes = Uint16Array.from(
      { length: rows },
      (_, r) => FIRST_VALUE + (r < 5000 ? r % 3 : r),
    );
    const part = {
      rows,
      positive: new Uint8Array(rows).fill(1),
      segments: { dimensions: ['device'], names: [names], codes: [codes] },
    } as unknown as WindowPart;
    const divided = withSegmentAxes(part, { values: 4, minUsers: 30 })!;
    const { axes } = divided;
    expect(axes.names).toEqual([['', '', 'v0', 'v1', 'v2', 'v5000']]);
    expect(axes.rows).toEqual([[0, 4999, 1667, 1667, 1666, 1]]);
    expect(axes.hidden).toEqual([4999]);
    expect(divided.part.segments!.codes[0]![9000]).toBe(OTHER);
  });
});
