import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { run } from '../../cli/fake-io.js';

const folder = mkdtempSync(join(tmpdir(), 'unskew-uncaused-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  model: string;
  metric: string;
  k: number | null;
  estimator: string;
  aggregation: string;
  value: number | null;
}

const nameOf = ({ model, metric, k, estimator, aggregation }: Row) =>
  [model, metric, k, estimator, aggregation].join();

async function evaluated(parts: readonly string[], ...flags: string[]) {
  const [train, events] = parts.map((part) => join(folder, `${part}.ndjson`));
  const chosen = ['--estimators', 'naive,snips,gs', '--metrics', 'recall,dcg', '--json'];
  const argv = ['evaluate', '--train', train!, '--events', events!, ...chosen, ...flags];
  return JSON.parse((await run(argv, BODIES)).stdout);
}

it('organic estimates equal those of a log without interactions that give a list id', async () => {
  const simulated = ['simulate', '--out', folder, '--users', '60', '--cycles', '4'];
  expect((await run([...simulated, '--caused', '0.015'], BODIES)).code).toBe(0);
  for (const part of ['train', 'events']) {
    const lines = readFileSync(join(folder, `${part}.ndjson`), 'utf8').split('\n');
    const kept = lines.filter((line) => !line.includes('"exposure":'));
    expect(kept.length).toBeLessThan(lines.length);
    writeFileSync(join(folder, `${part}-kept.ndjson`), kept.join('\n'));
  }
  const { feedback } = await evaluated(['train', 'events']);
  const without = await evaluated(['train-kept', 'events-kept'], '--feedback', 'ignore');
  const wanted = new Map<string, Row>(without.results.map((row: Row) => [nameOf(row), row]));
  const found: Row[] = feedback.uncaused.results;
  expect(found.length).toBeGreaterThan(20);
  for (const row of found) {
    expect(row.value, nameOf(row)).toBeCloseTo(wanted.get(nameOf(row))!.value!, 12);
  }
});
