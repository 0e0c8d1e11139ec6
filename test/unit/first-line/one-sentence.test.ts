import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  CODED_REASONS,
  NO_VERDICT_CAUSES,
  type PairVerdict,
} from '../../../src/features/verdict.js';
import { verdictFindings } from '../../../src/features/verdicts/verdict-findings.js';
import { type LiveTick, liveTick } from '../../../src/outputs/http/schema/live-tick.js';
import { reportHtml } from '../../../src/outputs/report/report.js';
import {
  evaluationSummary,
  evaluationTable,
  toEvaluationJson,
} from '../../../src/outputs/text/evaluation.js';
import { plainText } from '../../../src/rows/findings/sentence.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { QUALITY, serve, type TestServer } from '../../support/http-server.js';
import { anAnswer } from '../../support/shop-test.js';
import { aVerdict } from '../../support/verdict.js';

const VALUE = { metric: 'value', k: null, rule: 'single_look' } as const;
const PREFER = { ...VALUE, rung: 'experiment', state: 'prefer', better: 'personal' } as const;
const BOUNDS = { ...VALUE, rung: 'arms' } as const;

const SAID: readonly PairVerdict[] = [
  aVerdict({ ...PREFER, figures: { isSharper: 1, isIfChance: 1 } }),
  aVerdict({ ...PREFER, figures: { above: 0.1 }, against: 'recall@10' }),
  aVerdict({ ...PREFER, rung: 'randomized', metric: 'recall', k: 10 }),
  aVerdict({ state: 'leads', better: 'blend', against: 'uncorrected recall@10' }),
  aVerdict({ state: 'leads', better: 'personal', figures: { repeated: 0.4 } }),
  aVerdict({ ...BOUNDS, state: 'probably', better: 'personal', figures: { listed: 0.97 } }),
  aVerdict({ ...BOUNDS, state: 'probably_not', better: 'blend' }),
  aVerdict({ ...BOUNDS, state: 'unknown', figures: { covered: 0.78 } }),
  aVerdict({ ...VALUE, rung: 'observed', state: 'no_preference' }),
  aVerdict({ ...VALUE, rung: 'slots', state: 'undecided', against: 'recall@10' }),
  aVerdict({ state: 'undecided', forecast: { days: 3, users: null } }),
  aVerdict({ state: 'changed', better: 'personal' }),
  aVerdict({ state: 'same' }),
  aVerdict({ state: 'immaterial' }),
  ...[...CODED_REASONS, ...NO_VERDICT_CAUSES].map((reason) =>
    aVerdict({
      state: 'none',
      reason,
      of: ['mix_turns', 'mix_unclear'].includes(reason)
        ? ['personal', 'blend', 'device', 'desktop']
        : ['personal'],
    }),
  ),
];

let server: TestServer;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.close());

const plain = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/[\s\u00a0]+/g, ' ');
const spaced = (text: string) => text.replaceAll(/[\s\u00a0]+/g, ' ');

it.each(SAID.map((verdict) => [verdict.reason ?? verdict.state, verdict] as const))(
  'command line, JSON, report, page and API give the same text for %s',
  async (_, verdict) => {
    const snapshot = { ...makeSnapshot(), verdicts: [verdict] };
    const [finding] = verdictFindings([verdict]);
    const text = textOf(finding!);
    expect(text.length).toBeGreaterThan(20);
    expect(text).not.toMatch(/undefined|NaN|null/);
    const reading = { accepted: 1, duplicate: 0, late: 0, faults: [] };
    expect(spaced(evaluationTable(snapshot, 0, reading)).includes(spaced(text))).toBe(true);
    expect(toEvaluationJson(snapshot, 0, reading).verdict!.map((own) => own.text)).toEqual([text]);
    expect(plain(reportHtml(snapshot, 0, reading)).includes(spaced(text))).toBe(true);
    const tick = JSON.parse(JSON.stringify(liveTick(snapshot, QUALITY, {}))) as LiveTick;
    expect(tick.verdict!.map((own) => own.text)).toEqual([text]);
    expect(plainText(tick.opening.headline)).toBe(text);
    expect(spaced(evaluationSummary(snapshot, 0, reading)).startsWith(spaced(text))).toBe(true);
    server.show(snapshot);
    const response = await fetch(`${server.address}/api/v1/verdicts`);
    const { findings } = (await response.json()) as { findings: { text: string }[] };
    expect(findings.map((own) => own.text)).toEqual([text]);
  },
);

it('the API gives the A/B test’s verdict on two arms, not that by their lists', async () => {
  const experiment = anAnswer();
  const verdict = aVerdict({ model: 'treatment', reference: 'control', state: 'unknown' });
  server.show({ ...makeSnapshot(), verdicts: [verdict], experiment });
  const response = await fetch(`${server.address}/api/v1/verdicts`);
  const { findings } = (await response.json()) as { findings: { text: string }[] };
  expect(findings.map(({ text }) => spaced(text))).toEqual([
    'treatment beats control: 1.56 vs 0.94 clicks per user, +66 % (95 % CI +55 % to +77 %).',
  ]);
});
