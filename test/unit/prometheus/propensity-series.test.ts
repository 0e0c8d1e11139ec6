import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { PropensityFileReport } from '../../../src/features/ratings/rating-report.js';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import { registerFileReadings } from '../../../src/outputs/prometheus/file-readings.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { fileReportOf, ratingsReportOf } from '../../support/ratings-report.js';
import { parseExposition } from './exposition.js';

async function seriesOf(file: PropensityFileReport | undefined) {
  const base = makeSnapshot({ models: ['a'], windows: ['1h', '24h'] });
  const { propensity } = ratingsReportOf();
  const ratings = ratingsReportOf({ propensity: { ...propensity, ...(file && { file }) } });
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: [] });
  exporter.update({ ...base, windows: base.windows.map((window) => ({ ...window, ratings })) });
  const series = parseExposition(await exporter.metrics());
  return series
    .filter(({ name }) => name.startsWith('unskew_propensity_'))
    .map(({ name, labels, value }) => [name.slice('unskew_propensity_'.length), labels, value]);
}

it('a file of propensities has version, date and age once, and the rest by window', async () => {
  const series = await seriesOf(fileReportOf());
  const labels = { kind: 'lr', version: '0123456789abcdef', date: '2026-01-01T00:00:00.000Z' };
  expect(series).toEqual([
    ['file_info', labels, 1],
    ['file_age_seconds', {}, 86_400],
    ...['1h', '24h'].flatMap((window) => [
      ['unknown_pairs', { unknown: 'users', window }, 3],
      ['unknown_pairs', { unknown: 'items', window }, 2],
      ['unknown_pairs', { unknown: 'values', window }, 1],
    ]),
    ...['1h', '24h'].map((window) => ['margin_distance', { window }, 0.25]),
    ...['1h', '24h'].map((window) => ['margin_chance', { window }, 0.125]),
  ]);
});

it('unknown margins have no series, and without a file there are none', async () => {
  const names = async (file: PropensityFileReport | undefined) =>
    new Set((await seriesOf(file)).map(([name]) => name));
  expect(await names(fileReportOf({ drift: null }))).not.toContain('margin_distance');
  const none = { of: 'items', ratings: 0, distance: Number.NaN, byChance: Number.NaN } as const;
  expect(await names(fileReportOf({ drift: none }))).not.toContain('margin_chance');
  expect(await names(undefined)).toEqual(new Set());
});

it('readings of the file are counted from 0', async () => {
  const registry = new Registry();
  const count = registerFileReadings(registry);
  count('refused');
  const seen = async () =>
    parseExposition(await registry.metrics()).map(({ labels, value }) => [
      labels['outcome'] ?? 'now',
      value,
    ]);
  expect(await seen()).toEqual([
    ['taken', 0],
    ['refused', 1],
    ['now', 1],
  ]);
  count('taken');
  expect(await seen()).toEqual([
    ['taken', 1],
    ['refused', 1],
    ['now', 0],
  ]);
});
