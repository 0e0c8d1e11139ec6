import { expect, it } from 'vitest';
import { Exporter } from '../../../src/adapters/prometheus/exporter.js';
import { reason } from '../../../src/estimators/value/judgement/reasons.js';
import type { ValueRow } from '../../../src/estimators/value/window/value-row.js';
import { REQUEST_FAULTS } from '../../../src/state/requests/request-faults.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { valueRowOf } from '../../support/value-row.js';
import { parseExposition } from './exposition.js';

const VALUE = valueRowOf({ estimator: 'arms_ips' });

async function seriesOf(values: readonly ValueRow[]) {
  const base = makeSnapshot({ models: ['a'], windows: ['1h'] });
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: [] });
  exporter.update({ ...base, windows: [{ ...base.windows[0]!, values }] });
  return parseExposition(await exporter.metrics());
}

it('a value has its own metric, aggregation and form, with its error and interval', async () => {
  const series = await seriesOf([VALUE]);
  const own = series.filter(({ labels }) => labels['estimator'] === 'arms_ips');
  expect(own.map(({ name, value }) => [name, value])).toEqual([
    ['unskew_estimate', 1.5],
    ['unskew_estimate_stderr', 0.25],
    ['unskew_estimate_lower', 1],
    ['unskew_estimate_upper', 2],
  ]);
  const labels = { model: 'a', metric: 'value', k: '', aggregation: 'request', window: '1h' };
  expect(own[0]?.labels).toMatchObject(labels);
});

it('a value that is refused is absent, and its reasons are there', async () => {
  const none = { value: Number.NaN, stdErr: Number.NaN, lower: Number.NaN, upper: Number.NaN };
  const lost = reason('incomplete_requests', 'refused', { share: 0.9, least: 0.95 });
  const few = reason('few_rewards', 'no_verdict', { ess: 12, least: 30 });
  const series = await seriesOf([
    { ...VALUE, ...none, withheld: lost.code, isRefused: true, reasons: [lost, few] },
  ]);
  const own = series.filter(({ labels }) => labels['estimator'] === 'arms_ips');
  expect(own.map(({ name, labels, value }) => [name, labels['reason'], value])).toEqual([
    ['unskew_estimate_withheld', 'incomplete_requests', 1],
  ]);
});

it('faults of requests, and requests that were sampled out, are there from the first scrape on', async () => {
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: ['e', 'i'] });
  const series = parseExposition(await exporter.metrics());
  const faults = series.filter(({ name }) => name === 'unskew_request_faults_total');
  expect(faults.map(({ labels, value }) => [labels['reason'], value])).toEqual(
    REQUEST_FAULTS.map((fault) => [fault, 0]),
  );
  expect(series.find(({ name }) => name === 'unskew_sampled_out_requests_total')?.value).toBe(0);
});
