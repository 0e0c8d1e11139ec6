import { expect, it } from 'vitest';
import type { DriftScore } from '../../../../src/features/drift/drift-options.js';
import { learningFindings } from '../../../../src/features/drift/findings.js';
import { reportHtml } from '../../../../src/outputs/report/report.js';
import { evaluationTable, toEvaluationJson } from '../../../../src/outputs/text/evaluation.js';
import { textOf } from '../../../../src/rows/findings/words.js';
import { Outcomes } from '../../../../src/stream/outcomes.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';

const score = (series: string, detector: DriftScore['detector'], known: number | null) => ({
  series,
  detector,
  model: null,
  score: known,
  threshold: 5,
});
/** Three series: one has a score from one of its detectors, two have none. */
const PARTLY = [
  score('gini/interactions', 'cusum', 1),
  score('gini/interactions', 'e-cusum', null),
  score('gini/exposures/a', 'cusum', null),
  score('gini/exposures/b', 'cusum', null),
];
const of = (drift: readonly DriftScore[] | undefined): Snapshot => {
  const { drift: _, ...rest } = makeSnapshot();
  return drift === undefined ? rest : { ...rest, drift };
};
const texts = (drift: readonly DriftScore[] | undefined) => learningFindings(of(drift)).map(textOf);

it('says that having no alarm means nothing while series are still learned', () => {
  expect(texts([])).toEqual([
    'The drift detectors are still learning the baseline, so they cannot raise an alarm yet.',
  ]);
  expect(texts(PARTLY)).toEqual([
    'The drift detectors are still learning the baseline of 2 of 3 series, so these cannot raise an alarm yet.',
  ]);
  expect(texts(PARTLY.slice(0, 2))).toEqual([]);
  expect(texts(undefined)).toEqual([]);
});

it('gives the same sentence in JSON, table and report', () => {
  const [said] = texts(PARTLY);
  const snapshot = of(PARTLY);
  const flat = (text: string) => text.replaceAll(/\s+/g, ' ');
  expect(toEvaluationJson(snapshot, 0, new Outcomes()).findings.map(({ text }) => text)).toContain(
    said,
  );
  expect(flat(evaluationTable(snapshot, 0, new Outcomes()))).toContain(said);
  expect(flat(reportHtml(snapshot, 0, new Outcomes()))).toContain(said);
});
