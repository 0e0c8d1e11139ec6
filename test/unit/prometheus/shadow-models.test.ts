import { expect, it } from 'vitest';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import { type Event, feed, smallOptions } from '../../support/log.js';
import { parseExposition } from './exposition.js';

it('a shadow model has estimates, but no popularity of shown items', async () => {
  const at = { type: 'exposure', user: 'u', items: ['a', 'b'] } as const;
  const log: Event[] = [
    { ...at, id: 'e1', ts: 1000, model: 'live' },
    { ...at, id: 'e2', ts: 1000, model: 'shadow', shown: false },
    { type: 'interaction', id: 'i1', ts: 1003, user: 'u', item: 'a' },
    { type: 'interaction', id: 'i2', ts: 1015, user: 'u', item: 'b' },
  ];
  const { snapshots } = feed(log, smallOptions(), { partitions: 1, batchSize: 10, run: 1 });
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: [] });
  exporter.update(snapshots[0]!);
  const series = parseExposition(await exporter.metrics());
  const modelsOf = (wanted: RegExp) => [
    ...new Set(
      series
        .filter(({ name, labels }) => wanted.test(name) && labels['stream'] !== 'interactions')
        .map(({ labels }) => labels['model']),
    ),
  ];
  expect(modelsOf(/^unskew_estimate$/)).toEqual(['live', 'shadow']);
  expect(modelsOf(/^unskew_popularity_/)).toEqual(['live']);
  expect(modelsOf(/^unskew_average_recommendation_popularity$/)).toEqual(['live']);
});
