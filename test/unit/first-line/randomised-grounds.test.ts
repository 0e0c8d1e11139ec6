import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { simulate } from '../../../src/commands/files/simulate.js';
import { run } from '../cli/fake-io.js';

/** A fifth of the sessions show random lists: few rows beside those that users find themselves. */
let folder: string;
let events: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-grounds-'));
  const simulation = { users: 600, randomizedShare: 0.2, causedShare: 0.05 };
  const { events: part } = await simulate({ simulation, cycles: 1, gzip: false }, folder);
  events = part.path;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Difference {
  readonly model: string;
  readonly reference: string;
  readonly metric: string;
  readonly k: number;
  readonly estimator: string;
  readonly aggregation: string;
  readonly value: number | null;
}

it('evaluate gives the corrected difference and the number of randomised interactions', async () => {
  const argv = ['evaluate', '--events', events];
  const { stdout } = await run(argv, BODIES);
  const { differences, randomized, verdict } = JSON.parse(
    (await run([...argv, '--json'], BODIES)).stdout,
  ) as {
    readonly differences: readonly Difference[];
    readonly randomized: { readonly positives: number };
    readonly verdict: readonly {
      readonly subject: { readonly models: readonly string[] };
      readonly figures: { readonly value: number };
    }[];
  };
  const [first, grounds] = stdout.split('\n');
  expect(first).toMatch(/, corrected for popularity; randomised traffic agrees\.$/);
  expect(grounds).toMatch(
    /^Randomised traffic \(ure\): [\d,]+ positive interactions of \d+ users; /,
  );
  const count = Number(/: ([\d,]+) positive/.exec(grounds!)![1]!.replaceAll(',', ''));
  expect(count).toBe(randomized.positives);
  const { subject, figures } = verdict[0]!;
  const ofPair = differences.filter(
    ({ model, reference, metric, k, aggregation }) =>
      subject.models.includes(model) &&
      subject.models.includes(reference) &&
      metric === 'recall' &&
      k === 10 &&
      aggregation === 'pooled',
  );
  const of = (name: string) => ofPair.find(({ estimator }) => estimator === name)!.value!;
  expect(Math.abs(of('snips'))).toBeCloseTo(figures.value, 12);
  expect(Math.abs(of('ure'))).not.toBeCloseTo(figures.value, 3);
});
