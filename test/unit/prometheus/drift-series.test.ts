import { expect, it } from 'vitest';
import type { Alarm } from '../../../src/features/alarm.js';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { parseExposition } from './exposition.js';

it('a model that stopped sending lists has an alarm under its own name', async () => {
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: [] });
  const row = { detector: 'vanished', threshold: 1000 } as const;
  const gone = { series: 'lists/a', model: 'a', score: 11_131 };
  exporter.update({
    ...makeSnapshot({ models: ['a', 'b'] }),
    drift: [
      { ...row, ...gone },
      { ...row, series: 'lists/b', model: 'b', score: 0 },
    ],
    alarms: [alarm('lists/a', { detector: 'vanished', models: ['a'], size: null })],
  });
  const text = await exporter.metrics();
  const of = (series: string) =>
    `{series="${series}",detector="vanished",model="${series.at(-1)}"}`;
  expect(text).toContain(`unskew_drift_alarm${of('lists/a')} 1\n`);
  expect(text).toContain(`unskew_drift_alarm${of('lists/b')} 0\n`);
  expect(text).toContain(`unskew_drift_score${of('lists/a')} 11131\n`);
});

const alarm = (series: string, own: Partial<Alarm>): Alarm => ({
  series,
  detector: 'cusum',
  since: 0,
  at: 60_000,
  score: 8,
  threshold: 7,
  size: 1.5,
  suppressed: null,
  models: [],
  topItems: [],
  ...own,
});

it('every watched series has an alarm gauge, and a score once it is learned', async () => {
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: [] });
  const row = { detector: 'cusum', threshold: 7 } as const;
  exporter.update({
    ...makeSnapshot({ models: ['a/b', 'c'] }),
    drift: [
      { ...row, series: 'gini/interactions', model: null, score: 1.5 },
      { ...row, series: 'gini/exposures/c', model: 'c', score: null },
      { ...row, series: 'gap/snips/recall@10/a/b', model: 'a/b', score: null },
    ],
    alarms: [
      alarm('gap/snips/recall@10/a/b', { models: ['a/b'] }),
      alarm('popularity/interactions', { detector: 'psi', models: ['c'], suppressed: 'few users' }),
    ],
  });
  const series = parseExposition(await exporter.metrics());
  const of = (name: string) =>
    series
      .filter((found) => found.name === name)
      .map(({ labels, value }) => [labels['series'], labels['detector'], labels['model'], value]);
  expect(of('unskew_drift_score')).toEqual([['gini/interactions', 'cusum', '', 1.5]]);
  expect(of('unskew_drift_threshold')).toHaveLength(3);
  const states = (first: number, second: number) => [
    ['gini/interactions', 'cusum', '', 0],
    ['gini/exposures/c', 'cusum', 'c', 0],
    ['gap/snips/recall@10/a/b', 'cusum', 'a/b', first],
    ['popularity/interactions', 'psi', '', second],
  ];
  expect(of('unskew_drift_alarm')).toEqual(states(1, 0));
  expect(of('unskew_drift_suppressed')).toEqual(states(0, 1));
});
