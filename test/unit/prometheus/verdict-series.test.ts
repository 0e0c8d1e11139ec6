import { expect, it } from 'vitest';
import type { PairVerdict } from '../../../src/features/verdict.js';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { aVerdict } from '../../support/verdict.js';
import { parseExposition } from './exposition.js';

async function verdictSeries(models: readonly string[], verdicts: readonly PairVerdict[]) {
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: [] });
  exporter.update({ ...makeSnapshot({ models }), verdicts });
  const all = parseExposition(await exporter.metrics());
  return all.filter(({ name }) => name.startsWith('unskew_verdict_'));
}

it('a verdict has its difference, its anytime-valid interval and its state', async () => {
  const verdict = aVerdict({ state: 'prefer', better: 'blend' });
  const series = await verdictSeries(['blend', 'personal'], [verdict]);
  expect(series.map(({ name, value }) => [name, value])).toEqual([
    ['unskew_verdict_difference', 0.0361],
    ['unskew_verdict_difference_lower', 0.027],
    ['unskew_verdict_difference_upper', 0.0452],
    ['unskew_verdict_state', 1],
  ]);
  const labels = { model: 'personal', reference: 'blend', metric: 'recall', k: '10' };
  expect(series[0]!.labels).toEqual(labels);
  expect(series[3]!.labels).toEqual({ ...labels, state: 'prefer', better: 'reference' });
});

it('only pairs with the first model by name are exported, without unknown limits', async () => {
  const young = { state: 'none', reason: 'young', lower: Number.NaN, upper: Number.NaN } as const;
  const series = await verdictSeries(
    ['a', 'b', 'c'],
    [
      aVerdict({ model: 'b', reference: 'a', ...young }),
      aVerdict({ model: 'c', reference: 'a', ...young }),
      aVerdict({ model: 'c', reference: 'b', ...young }),
    ],
  );
  expect(series.map(({ name, labels }) => [name, labels['model'], labels['better']])).toEqual([
    ['unskew_verdict_difference', 'b', undefined],
    ['unskew_verdict_difference', 'c', undefined],
    ['unskew_verdict_state', 'b', 'none'],
    ['unskew_verdict_state', 'c', 'none'],
  ]);
});
