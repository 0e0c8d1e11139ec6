import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { IdSeries } from '../../../src/outputs/prometheus/id-series.js';

it('known ids are read at each scrape, and sweeps are counted', async () => {
  const registry = new Registry();
  let known = { user: 3, item: 4, model: 2 };
  const series = new IdSeries(registry, () => known);
  const before = await registry.metrics();
  expect(before).toContain('unskew_known_ids{kind="user"} 3');
  expect(before).toContain('unskew_id_sweeps_total{kind="item"} 0');
  known = { user: 1, item: 4, model: 2 };
  series.swept({ kind: 'user', forgotten: 2, seconds: 0.25 });
  series.swept({ kind: 'user', forgotten: 5, seconds: 0.5 });
  const text = await registry.metrics();
  expect(text).toContain('unskew_known_ids{kind="user"} 1');
  expect(text).toContain('unskew_id_sweeps_total{kind="user"} 2');
  expect(text).toContain('unskew_forgotten_ids_total{kind="user"} 7');
  expect(text).toContain('unskew_id_sweep_duration_seconds{kind="user"} 0.5');
});
