import { expect, it } from 'vitest';
import { sectionsOf } from '../../../../src/features/output.js';
import { OUTPUTS } from '../../../../src/features/outputs.js';
import { tickValues } from '../../../../src/outputs/history/tick-values.js';
import { plainText } from '../../../../src/rows/findings/sentence.js';
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
  const [{ lead, notes, blocks }] = sectionsOf(OUTPUTS, own);
  expect(plainText(lead)).toContain('3 interactions whose value is no rating');
  expect(notes!.map(plainText)).toEqual([
    'a did not predict 4 rated pairs.',
    'ips is not given: it needs <all> pairs.',
  ]);
  expect(blocks.map(({ tables }) => tables[0].lines[0])).toEqual([
    [{ name: 'a' }, 'mae', 'naive', 'pairs', '0.5000', '0.3750 to 0.8750', '20'],
    [{ name: 'a' }, '2.50', '3.50', '2.25', '20'],
  ]);
});

it('is kept in the history as estimates are', () => {
  const windows = [{ ...window, ratings: ratingsReportOf() }];
  const kept = [...tickValues({ ...snapshot, windows }, QUALITY)];
  const before = [...tickValues({ ...snapshot, windows: [window] }, QUALITY)];
  // Two estimates and a difference, each with its limits.
  expect(kept.length - before.length).toBe(3 * 3);
  expect(kept.filter(([key]) => key.includes('mae')).map(([, value]) => value)).toContain(0.75);
});
