import { describe, expect, it } from 'vitest';
import { reason } from '../../../src/features/values/reasons.js';
import type { ValueDifferenceRow } from '../../../src/features/values/value-differences.js';
import type { ValueRow } from '../../../src/features/values/value-row.js';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import { REQUEST_FAULTS } from '../../../src/state/requests/request-faults.js';
import type { WindowSnapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { shownOf, valueDifferenceRow, valueRowOf } from '../../support/rows.js';
import { parseExposition } from './exposition.js';

const VALUE = valueRowOf({ estimator: 'arms_ips' });

async function seriesOf(values: readonly ValueRow[], more: Partial<WindowSnapshot> = {}) {
  const base = makeSnapshot({ models: ['a', 'b', 'c', 'd', 'e'], windows: ['1h', '24h'] });
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: [] });
  const [hour, day] = base.windows;
  exporter.update({ ...base, windows: [hour!, { ...day!, values, ...more }] });
  return parseExposition(await exporter.metrics());
}

it('an on-policy value by requests is separate from that by served lists', async () => {
  const onPolicy = { refused: null, values: [shownOf()], named: 4, elsewhere: 0 };
  const series = await seriesOf([valueRowOf({ estimator: 'on_policy' })], { onPolicy });
  const found = series.filter(({ name, labels }) => {
    return name === 'unskew_estimate' && labels['estimator'] === 'on_policy';
  });
  expect(found.map(({ labels, value }) => [labels['aggregation'], value])).toEqual([
    ['pooled', 0.4],
    ['request', 1.5],
  ]);
});

it('a refused value is absent, and the reason for the refusal is exported', async () => {
  const none = { value: Number.NaN, stdErr: Number.NaN, lower: Number.NaN, upper: Number.NaN };
  const lost = reason('incomplete_requests', 'refused', { share: 0.9, least: 0.95 });
  const few = reason('few_rewards', 'undecided', { ess: 12, least: 30 });
  const series = await seriesOf([{ ...VALUE, ...none, status: 'refused', reasons: [lost, few] }]);
  const own = series.filter(({ labels }) => labels['estimator'] === 'arms_ips');
  expect(own.map(({ name, labels, value }) => [name, labels['reason'], value])).toEqual([
    ['unskew_estimate_withheld', 'incomplete_requests', 1],
  ]);
});

it('request faults and sampled-out requests exist from the first scrape on', async () => {
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: ['e', 'i'] });
  const series = parseExposition(await exporter.metrics());
  const faults = series.filter(({ name }) => name === 'unskew_request_faults_total');
  expect(faults.map(({ labels, value }) => [labels['reason'], value])).toEqual(
    REQUEST_FAULTS.map((fault) => [fault, 0]),
  );
  expect(series.find(({ name }) => name === 'unskew_sampled_out_requests_total')?.value).toBe(0);
});

describe('values compared with the control', () => {
  const compared = (...valueDifferences: ValueDifferenceRow[]) =>
    seriesOf([valueRowOf({ estimator: 'on_policy', requests: 70 })], { valueDifferences });

  it('are 1 if proved better, −1 if proved worse, and absent if refused', async () => {
    const none = { value: Number.NaN, stdErr: Number.NaN, lower: Number.NaN, upper: Number.NaN };
    const rows = [
      ...(['better', 'worse', null] as const).map((proved, n) =>
        valueDifferenceRow({ model: 'bcd'[n]!, proved }),
      ),
      valueDifferenceRow({ model: 'e', ...none, withheld: 'heavy_row' }),
    ];
    const series = await compared(...rows);
    const proved = series.filter(({ name }) => name === 'unskew_value_proved');
    expect(proved.map(({ labels, value }) => [labels['model'], value])).toEqual([
      ['b', 1],
      ['c', -1],
      ['d', 0],
    ]);
    const ofE = series.filter(
      ({ labels }) => labels['model'] === 'e' && labels['reference'] === 'a',
    );
    expect(ofE.filter(({ labels }) => labels['metric'] === 'value')).toEqual([]);
  });

  it('give the served requests of every model, also in windows without any', async () => {
    const served = (await compared()).filter(({ name }) => name === 'unskew_value_served_requests');
    const of = (window: string) =>
      served.filter(({ labels }) => labels['window'] === window).map(({ value }) => value);
    expect([of('1h'), of('24h')]).toEqual([
      [0, 0, 0, 0, 0],
      [70, 0, 0, 0, 0],
    ]);
  });
});

it('the sample ratio test has its p-value by window', async () => {
  const series = await seriesOf([VALUE], { sampleRatio: { chiSquare: 4, freedom: 1, p: 0.0455 } });
  const own = series.filter(({ name }) => name === 'unskew_sample_ratio_p');
  expect(own.map(({ labels, value }) => [labels['window'], value])).toEqual([['24h', 0.0455]]);
});

it('a snapshot without values has no series of values', async () => {
  const exporter = new Exporter({ maxModels: 16, version: '0', topics: [] });
  exporter.update(makeSnapshot());
  const series = parseExposition(await exporter.metrics());
  expect(series.filter(({ name }) => name.startsWith('unskew_value_'))).toEqual([]);
});
