import { expect, it } from 'vitest';
import { openingOf } from '../../../src/outputs/opening/opening-of.js';
import { reportHtml } from '../../../src/outputs/report/report.js';
import { plainText } from '../../../src/rows/findings/sentence.js';
import { windowFindings } from '../../../src/rows/findings/window-findings.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { feedbackReport } from '../../support/feedback-report.js';
import { withheldOf } from '../../support/rows.js';

const MODELS = ['good', 'popular', 'served'];

/** A snapshot in which all results of some models are withheld. */
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

it('the report opens with the same statements as the command line, in order', () => {
  const snapshot = snapshotWith('own_lists', ['served']);
  const sheet = sheetOf(snapshot);
  const opening = openingOf(snapshot, snapshot.windows[0]!, new Outcomes());
  const said = [
    opening.headline,
    opening.grounds,
    ...opening.cautions.slice(0, 3).map(({ words }) => words),
  ];
  const places = said.map((words) => sheet.indexOf(plain(plainText(words))));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

it('the first sheet of the report states no finding twice', () => {
  const snapshot = snapshotWith('caused_by_lists', MODELS);
  const sheet = sheetOf(snapshot);
  for (const finding of windowFindings(snapshot, snapshot.windows[0]!)) {
    expect(countOf(sheet, textOf(finding)), finding.code).toBeLessThanOrEqual(1);
  }
  expect(sheet).toContain(
    'recall is not reported: 30 % of the clicks came from lists that these models served.',
  );
});

it('Gini is not on the first sheet, and γ is in the appendix', () => {
  const snapshot = makeSnapshot();
  const html = reportHtml(snapshot, 0, new Outcomes());
  expect(sheetOf(snapshot)).not.toContain('Gini');
  expect(html.slice(html.indexOf('class="appendix"'))).toContain('<dt>γ</dt>');
});
