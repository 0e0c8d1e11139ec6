import { describe, expect, it } from 'vitest';
import { verdictOn } from '../../../../src/estimators/feedback/verdict.js';
import { reasonOf } from '../../../../src/rows/reading.js';
import { estimate, windowOf } from '../../../oracle/window.js';

const shares = { caused: 0, own: 0, other: 0.5, hasOthers: true };
const NO_ERROR = 1;

describe('the verdict on an estimate', () => {
  it('withholds what own rows lift above 10 %, cautions above 2 % or half an error', () => {
    const at = (value: number, stdErr = NO_ERROR) => verdictOn(shares, value, stdErr);
    expect(at(0.551).withheld).toBe('own_lists');
    expect(at(0.549)).toEqual({ withheld: null, isDoubtful: true });
    expect(at(0.509)).toEqual({ withheld: null, isDoubtful: false });
    expect(at(0.509, 0.017)).toEqual({ withheld: null, isDoubtful: true });
    // Own rows that lower an estimate do not inflate it.
    expect(at(0.4)).toEqual({ withheld: null, isDoubtful: false });
  });

  it('reports a withheld estimate again only below a share of 0.08', () => {
    const at = (caused: number, was: boolean) =>
      verdictOn({ ...shares, caused }, 0.5, NO_ERROR, was).withheld;
    expect([at(0.09, false), at(0.09, true), at(0.08, true), at(0.079, true)]).toEqual([
      null,
      'caused_by_lists',
      'caused_by_lists',
      null,
    ]);
    expect(verdictOn(shares, 0.545, NO_ERROR, true).withheld).toBe('own_lists');
    expect(verdictOn(shares, 0.535, NO_ERROR, true).withheld).toBeNull();
    // An estimate without inflation is not withheld only because it was before.
    expect(verdictOn({ ...shares, other: 0 }, 0, NO_ERROR, true).withheld).toBeNull();
  });
});

describe('ten rows, four of them driven by own lists, with three hits among the other six', () => {
  const window = windowOf(
    new Array(10).fill(3),
    Array.from({ length: 10 }, (_, i) => [[i, i < 7 ? 0 : 'absent']]),
  );
  for (let i = 0; i < 4; i++) window.users[i].rows[0].cause = 0;
  const asked = { metrics: ['recall' as const], ks: [10], estimators: ['naive' as const] };

  it('have R = 7/10 and R_other = 1/2', () => {
    const { results } = estimate(window, { ...asked, feedback: 'caution' });
    const found = results.map(({ value, more: { own, other } }) => [value, own!, other!]);
    for (const numbers of found) {
      numbers.forEach((number, n) => {
        expect(number).toBeCloseTo([0.7, 0.4, 0.5][n], 12);
      });
    }
    expect(found.length).toBe(2);
  });

  it('are withheld with null for each number, and replaced by the organic six', () => {
    const { results, feedback, differences } = estimate(window, { ...asked, feedback: 'withhold' });
    for (const row of results) {
      expect(reasonOf(row)).toBe('caused_by_lists');
      expect(JSON.parse(JSON.stringify(row))).toMatchObject({
        value: null,
        stdErr: null,
        lower: null,
        upper: null,
        status: 'withheld',
        sums: { numerator: null, denominator: null },
        more: { other: null },
      });
    }
    expect(feedback).toMatchObject({ source: 'named', caused: 0.4 });
    expect(feedback?.uncaused?.results.map(({ value }) => value)).toEqual([0.5, 0.5]);
    expect(feedback?.uncaused).toMatchObject({ rows: 6, users: 6 });
    expect(differences).toEqual([]);
  });
});
