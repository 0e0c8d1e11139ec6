import { describe, expect, it } from 'vitest';
import { ratingFileFindings } from '../../../src/features/ratings/findings.js';
import type { PropensityFileReport } from '../../../src/features/ratings/rating-report.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { fileReportOf, ratingsReportOf } from '../../support/ratings-report.js';

const DAY_MS = 86_400_000;
const NOTHING: Partial<PropensityFileReport> = {
  unknown: { users: 0, items: 0, values: 0 },
  drift: null,
};

function found(own: Partial<PropensityFileReport>) {
  const [window] = makeSnapshot({ models: ['a'], windows: ['1h'] }).windows;
  const { propensity } = ratingsReportOf();
  const file = fileReportOf({ ...NOTHING, ...own });
  return ratingFileFindings({
    ...window!,
    ratings: ratingsReportOf({ propensity: { ...propensity, file } }),
  });
}
const codes = (own: Partial<PropensityFileReport>) => found(own).map(({ code }) => code);
const drift = (distance: number, of: 'items' | 'values' = 'items') => ({
  drift: { of, ratings: 500, distance, byChance: 0.125 },
});

describe('findings on a file of propensities', () => {
  it('are none for a fresh file that covers all pairs, or without a file', () => {
    expect(found({})).toEqual([]);
    const [window] = makeSnapshot({ models: ['a'], windows: ['1h'] }).windows;
    expect(ratingFileFindings({ ...window!, ratings: ratingsReportOf() })).toEqual([]);
  });

  it('give the share of rated pairs that the file misses, however small', () => {
    const [one] = found({ unknown: { users: 0, items: 1, values: 0 } });
    expect(one).toMatchObject({ severity: 'note', figures: { share: 1 / 24, items: 1 } });
    const [many] = found({ unknown: { users: 6, items: 0, values: 0 } });
    expect(many).toMatchObject({ code: 'propensities_unknown', severity: 'caution' });
    expect(textOf(many!)).toMatch(
      /does not cover 25\.0\s% of the rated pairs, .* It lacks the user of 6 pairs,/,
    );
  });

  it('report a file older than 30 days as stale', () => {
    expect(codes({ ageMs: 30 * DAY_MS })).toEqual([]);
    expect(codes({ ageMs: 31 * DAY_MS })).toEqual(['propensities_stale']);
    // A log of the past may be older than the file.
    expect(codes({ ageMs: -90 * DAY_MS })).toEqual([]);
  });

  it('report margins that drifted by 0.1 more than chance explains', () => {
    expect(codes(drift(0.224))).toEqual([]);
    expect(codes(drift(0.226))).toEqual(['item_margins_drifted']);
    expect(codes(drift(0.226, 'values'))).toEqual(['value_margins_drifted']);
    expect(codes(drift(Number.NaN))).toEqual([]);
  });

  it('report weights that miss the number of pairs for ips, but not for snips', () => {
    const [window] = makeSnapshot({ models: ['a'], windows: ['1h'] }).windows;
    const report = ratingsReportOf();
    const told = (weightShare: number, estimator: 'ips' | 'snips') =>
      ratingFileFindings({
        ...window!,
        ratings: {
          ...report,
          estimates: report.estimates.map((row) => ({ ...row, estimator })),
          propensity: { ...report.propensity, weightShare, file: fileReportOf(NOTHING) },
        },
      }).map(({ code }) => code);
    expect(told(0.3, 'ips')).toEqual(['propensities_off_pairs']);
    expect(told(0.3, 'snips')).toEqual([]);
    expect(told(1.04, 'ips')).toEqual([]);
  });

  it('say whether Naive Bayes and regression agree if both were learned', () => {
    const figures = { largestRatio: 3, means: [2.5, 3] as const, margin: 0.1 };
    const with_ = { with: 'nb', ...figures } as const;
    expect(codes({ comparison: { ...with_, doDisagree: true } })).toEqual([
      'propensities_disagree',
    ]);
    expect(codes({ comparison: { ...with_, doDisagree: false } })).toEqual(['propensities_agree']);
  });
});
