import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { simulate } from '../../../../src/commands/files/simulate.js';
import { run } from '../../cli/fake-io.js';

interface Estimate {
  readonly model: string;
  readonly estimator: string;
  readonly value: number | null;
  readonly withheld: string | null;
}

interface Report {
  readonly results: readonly Estimate[];
  readonly findings: readonly {
    readonly code: string;
    readonly subject: { readonly models?: readonly string[] };
  }[];
}

/** A fifth of the sessions show ten random items of 200, as a list of the model `uniform`. */
let folder: string;
let events: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-random-lists-'));
  const simulation = {
    users: 300,
    items: 200,
    gamma: 0,
    exposuresFollow: 'long-run' as const,
    causedShare: 0.05,
    randomizedShare: 0.2,
    rankers: ['perfect' as const],
    viewsPerSession: 0,
  } as const;
  const { events: part } = await simulate({ simulation, cycles: 4, gzip: false }, folder);
  events = part.path;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function reported(feedback: string): Promise<Report> {
  const argv = ['evaluate', '--events', events, '--feedback', feedback, '--json'];
  return JSON.parse((await run(argv, BODIES)).stdout) as Report;
}

const isOfUniform = ({ model, estimator }: Estimate) => model === 'uniform' && estimator === 'ure';

it('ure is not reported for the model that served the random lists', async () => {
  const { results, findings } = await reported('withhold');
  const own = results.filter(isOfUniform);
  expect(own.length).toBeGreaterThan(0);
  for (const { value, withheld } of own) {
    expect({ value, withheld }).toEqual({ value: null, withheld: 'own_random_lists' });
  }
  const found = findings.find(({ code }) => code === 'own_random_lists');
  expect(found?.subject.models).toEqual(['uniform']);
});

it('with feedback "caution", ure is reported with a finding, and other models are unchanged', async () => {
  const { results, findings } = await reported('caution');
  const own = results.filter(isOfUniform).map(({ value }) => value);
  expect(own).not.toContain(null);
  expect(own).toContain(1);
  expect(findings.map(({ code }) => code)).toContain('own_random_lists');
  const others = (rows: readonly Estimate[]) =>
    rows
      .filter(({ model, estimator }) => model !== 'uniform' && estimator === 'ure')
      .map(({ value }) => value);
  expect(others(results).length).toBeGreaterThan(0);
  expect(others((await reported('withhold')).results)).toEqual(others(results));
});
