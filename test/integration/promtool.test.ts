import { spawnSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import { Exporter } from '../../src/outputs/prometheus/exporter.js';
import { makeSnapshot } from '../fixtures/snapshot.js';

beforeAll(() => requireCommand('promtool', 'prometheus', () => {}));

it('promtool accepts all metrics except the documented quantile gauge', async () => {
  const exporter = new Exporter({
    maxModels: 16,
    version: '0.0.0',
    topics: ['exposures', 'interactions'],
  });
  exporter.update(makeSnapshot({ models: ['a"b\\c\nd', 'other'] }));
  exporter.stream.tick(0.1);
  exporter.stream.lag('exposures', 0, 1);
  const text = await exporter.metrics();
  const ours = text.split('\n\n').filter((family) => family.startsWith('# HELP unskew_'));
  expect(ours.length).toBeGreaterThan(20);
  const run = spawnSync('promtool', ['check', 'metrics'], { input: `${ours.join('\n')}\n` });
  expect(run.error).toBeUndefined();
  // The quantiles of weights are a gauge by contract: a summary would need counts and sums.
  const remarks = `${run.stderr}${run.stdout}`
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('unskew_intervention_weight non-summary'));
  expect(remarks).toEqual([]);
});
