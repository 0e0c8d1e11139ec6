import { expect, it } from 'vitest';
import { sectionsOf } from '../../../../src/features/output.js';
import { OUTPUTS } from '../../../../src/features/outputs.js';
import { tickValues } from '../../../../src/outputs/history/tick-values.js';
import { featureSection } from '../../../../src/outputs/report/feature-section.js';
import { sectionLines } from '../../../../src/outputs/text/section-lines.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';
import { QUALITY } from '../../../support/http-server.js';
import { ratingsReportOf } from '../../../support/ratings-report.js';

const snapshot = makeSnapshot();
const [window] = snapshot.windows;

it('is left out where nobody asks for ratings, on the command line too', () => {
  expect(sectionsOf(OUTPUTS, window)).toEqual([]);
});

it('has the errors, what is not predicted, and the calibration', () => {
  const refusals = [{ estimator: 'ips', reason: 'needs <all> pairs' }] as const;
  const own = { ...window, ratings: ratingsReportOf({ refusals }) };
  const text = featureSection(sectionsOf(OUTPUTS, own)[0], own).text;
  const plain = text.replaceAll('\u00a0', ' ');
  for (const part of ['0.5000', '0.7500', '4 unpredicted', '2.25', '3 interactions']) {
    expect(plain).toContain(part);
  }
  expect(plain).toContain('needs &lt;all&gt; pairs');
});

it('has the same table on the command line', () => {
  const own = { ...window, ratings: ratingsReportOf() };
  const lines = sectionsOf(OUTPUTS, own)
    .flatMap(sectionLines)
    .map((line) => line.replaceAll('\u00a0', ' '));
  expect(lines).toContainEqual('  a: 20 predicted, 4 unpredicted.');
  const naive = lines.find((line) => line.includes('naive'));
  expect(naive).toMatch(/^ {2}a +mae +naive +pairs +0\.5000 +0\.3750 to 0\.8750 +\d+$/);
});

it('is kept in the history as estimates are', () => {
  const windows = [{ ...window, ratings: ratingsReportOf() }];
  const kept = [...tickValues({ ...snapshot, windows }, QUALITY)];
  const before = [...tickValues({ ...snapshot, windows: [window] }, QUALITY)];
  // Two estimates and a difference, each with its limits.
  expect(kept.length - before.length).toBe(3 * 3);
  expect(kept.filter(([key]) => key.includes('mae')).map(([, value]) => value)).toContain(0.75);
});
