import { expect, it } from 'vitest';
import { ratingLines } from '../../../../src/commands/output/ratings/rating-lines.js';
import { tickValues } from '../../../../src/history/tick-values.js';
import { ratingsSection } from '../../../../src/report/sections/ratings-section.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';
import { QUALITY } from '../../../support/http-server.js';
import { ratingsReportOf } from '../../../support/ratings-report.js';

const snapshot = makeSnapshot();
const [window] = snapshot.windows;

it('is left out where nobody asks for ratings, on the command line too', () => {
  expect(ratingsSection(window)).toBeNull();
  expect(ratingLines(window)).toEqual([]);
});

it('has the errors, what is not predicted, and the calibration', () => {
  const refusals = [{ estimator: 'ips', reason: 'needs <all> pairs' }] as const;
  const text = ratingsSection({ ...window, ratings: ratingsReportOf({ refusals }) })!.text;
  const plain = text.replaceAll('\u00a0', ' ');
  for (const part of [
    '<b>0.5000</b>',
    '<b>0.7500</b>',
    '4 unpredicted',
    '2.25',
    '3 interactions',
  ]) {
    expect(plain).toContain(part);
  }
  expect(plain).toContain('needs &lt;all&gt; pairs');
});

it('has both aggregations side by side on the command line', () => {
  const report = ratingsReportOf();
  const users = report.estimates.map((row) => ({
    ...row,
    aggregation: 'user' as const,
    value: 0.25,
  }));
  const ratings = { ...report, estimates: [...report.estimates, ...users] };
  const lines = ratingLines({ ...window, ratings }).map((line) => line.replaceAll('\u00a0', ' '));
  expect(lines).toContainEqual('a: 20 predicted, 4 unpredicted');
  const naive = lines.find((line) => line.includes('naive'));
  expect(naive).toMatch(
    /^ {2}mae +naive +0\.5000 +0\.3750 to 0\.8750 +0\.2500 +0\.3750 to 0\.8750$/,
  );
});

it('is kept in the history as estimates are', () => {
  const windows = [{ ...window, ratings: ratingsReportOf() }];
  const kept = [...tickValues({ ...snapshot, windows }, QUALITY)];
  const before = [...tickValues({ ...snapshot, windows: [window] }, QUALITY)];
  // Two estimates and a difference, each with its limits.
  expect(kept.length - before.length).toBe(3 * 3);
  expect(kept.filter(([key]) => key.includes('mae')).map(([, value]) => value)).toContain(0.75);
});
