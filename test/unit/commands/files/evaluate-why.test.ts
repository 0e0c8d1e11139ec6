import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { evaluate } from '../../../../src/commands/files/evaluate.js';
import { readConfig } from '../../../../src/config.js';
import { encodeEvent } from '../../../../src/events/encode.js';
import type { GapReport } from '../../../../src/features/why/why.js';
import { quietIo } from '../../../support/quiet-io.js';

const folder = mkdtempSync(join(tmpdir(), 'unskew-why-'));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Of 80 users 60 take the popular item and 20 a rare one each. `crowd` shows everyone the popular item,
 * and `taste` shows each user what it takes.
 */
const POPULAR = 'hit\u001b[31m';
const log = join(folder, 'events.ndjson');
const lines: string[] = [];
for (let n = 0; n < 80; n++) {
  const user = `u${n}`;
  const ts = 1_700_000_000_000 + 1000 * n;
  const item = n < 60 ? POPULAR : `rare${n}`;
  const list = (model: string, items: string[]) =>
    encodeEvent({ type: 'exposure', id: `${model}${n}`, ts, user, model, items, shown: false });
  lines.push(list('crowd', [POPULAR]).toString(), list('taste', [item]).toString());
  const found = { type: 'interaction', id: `i${n}`, ts: ts + 1, user, item } as const;
  lines.push(encodeEvent(found).toString());
}
writeFileSync(log, `${lines.join('\n')}\n`);

async function evaluated(more: { json?: boolean; questions?: readonly string[]; html?: string }) {
  const { config } = readConfig({
    env: {},
    overrides: { gamma: 0, 'estimates.metrics': 'recall', 'estimates.ks': '1' },
  });
  let text = '';
  await evaluate(
    {
      events: [log],
      train: [],
      config,
      json: false,
      all: false,
      questions: ['why'],
      maxFaults: 0,
      ...more,
    },
    { ...quietIo, stdout: (part: string) => (text += part) },
  );
  return text;
}

const sum = (parts: readonly { readonly contribution: number }[]) =>
  parts.reduce((total, { contribution }) => total + contribution, 0);

it('contributions of items and of user groups sum to each gap between estimates', async () => {
  const { results, why } = JSON.parse(await evaluated({ json: true })) as {
    results: { model: string; estimator: string; aggregation: string; value: number }[];
    why: GapReport[];
  };
  const estimated = (model: string, estimator: string) =>
    results.find(
      (row) => row.model === model && row.estimator === estimator && row.aggregation === 'pooled',
    )!.value;
  for (const { numbers, values, gap, items, rest, groups } of why) {
    numbers.forEach(({ model, estimator }, n) => {
      expect(values[n]).toBeCloseTo(estimated(model, estimator), 12);
    });
    expect(sum(items) + rest.contribution).toBeCloseTo(gap, 12);
    for (const each of groups) expect(sum(each.groups)).toBeCloseTo(gap, 12);
  }
  // The only hits of crowd are on the popular item, so it makes up the whole gap.
  const [own] = why.filter(({ numbers: [a, b] }) => a.model === 'crowd' && b.model === 'crowd');
  expect(own!.values[0]).toBeCloseTo(0.75, 12);
  expect(own!.items.map(({ item }) => item)).toEqual([POPULAR]);
  expect(own!.items[0]!.contribution).toBeCloseTo(own!.gap, 12);
  expect(own!.gap).toBeGreaterThan(0.1);
  // The rare items make up the gap between the two models.
  const between = why.find(({ numbers: [a, b] }) => a.model !== b.model)!;
  expect(between.items.every(({ item }) => item.startsWith('rare'))).toBe(true);
  expect(between.items.length + between.rest.items).toBeGreaterThanOrEqual(20);
});

it('command line and HTML report explain gaps only on request', async () => {
  const html = join(folder, 'report.html');
  const text = await evaluated({ html });
  expect(text).toMatch(
    /crowd, uncorrected and corrected: recall@1: naive 0\.7500, snips 0\.\d{4}: a gap of \+0\./,
  );
  expect(text).toMatch(/ hit\ufffd\[31m +\+0\.\d{4} +100 % .* 60 +60 +\d/);
  expect(text).toContain('Users by activity');
  expect(text).not.toContain('\u001b');
  const page = readFileSync(html, 'utf8');
  expect(page).toContain('Why: where gaps come from');
  expect(page).toContain('<bdi class="name">crowd</bdi>, uncorrected and corrected: recall@1');
  expect(page).not.toContain('\u001b');
  const silent = await evaluated({ questions: [], html });
  expect(silent).not.toContain('Why');
  expect(readFileSync(html, 'utf8')).not.toContain('where gaps come from');
  expect(JSON.parse(await evaluated({ questions: [], json: true }))).not.toHaveProperty('why');
});
