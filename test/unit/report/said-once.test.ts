import { expect, it } from 'vitest';
import { reportHtml } from '../../../src/outputs/report/report.js';
import { windowFindings } from '../../../src/rows/findings/window-findings.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { feedbackReport } from '../../support/feedback-report.js';
import { withheldOf } from '../../support/rows.js';
import { aVerdict } from '../../support/verdict.js';

const MODELS = ['good', 'popular', 'served'];

/** Of some models all is withheld. */
function snapshotWith(code: string, withheld: readonly string[]): Snapshot {
  const snapshot = makeSnapshot({ models: MODELS });
  const windows = snapshot.windows.map((window) => ({
    ...window,
    feedback: feedbackReport(0.3),
    results: window.results.map((row) =>
      withheld.includes(row.model) ? withheldOf(row, code) : row,
    ),
  }));
  return { ...snapshot, windows };
}

/** The sheet as it is read. */
function sheetOf(snapshot: Snapshot): string {
  const html = reportHtml(snapshot, 0, new Outcomes());
  const sheet = html.slice(html.indexOf('<main>'), html.indexOf('class="appendix"'));
  return sheet.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
}

const plain = (text: string) => text.replaceAll(/\s+/g, ' ');
const countOf = (text: string, part: string) => text.split(plain(part)).length - 1;

it('a sheet says each thing once: why a model has no number stands below its name', () => {
  const snapshot = snapshotWith('own_lists', ['served']);
  const sheet = sheetOf(snapshot);
  const why = windowFindings(snapshot, snapshot.windows[0]!).find(
    ({ code }) => code === 'own_lists',
  );
  expect(countOf(sheet, textOf(why!))).toBe(1);
  expect(sheet).toContain('No number is given of served: why stands below.');
});

it('nothing of the reasons on it is repeated among cautions', () => {
  const snapshot = snapshotWith('caused_by_lists', MODELS);
  const sheet = sheetOf(snapshot);
  for (const finding of windowFindings(snapshot, snapshot.windows[0]!)) {
    expect(countOf(sheet, textOf(finding)), finding.code).toBeLessThanOrEqual(1);
  }
  expect(sheet).toMatch(/be trusted\? ?No\. Shown lists caused 30 % of the positive pairs/);
  expect(sheet).toContain('No number is given of good, popular and served: why stands below.');
});

it('what the verdict says is referred to', () => {
  const snapshot = snapshotWith('caused_by_lists', MODELS);
  const none = aVerdict({ state: 'none', reason: 'all_caused', figures: { caused: 0.3 } as never });
  const sheet = sheetOf({ ...snapshot, verdicts: [none] });
  expect(sheet).toMatch(/No verdict on blend and personal: shown lists led to 30 % /);
  expect(sheet).toMatch(/be trusted\? ?No\. The verdict says why\./);
  expect(sheet).not.toContain('Shown lists caused 30 %');
});
