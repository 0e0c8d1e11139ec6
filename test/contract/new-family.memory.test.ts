import { afterAll, beforeAll, expect, it } from 'vitest';
import { OUTPUTS } from '../../src/features/outputs.js';
import { resultTable } from '../../src/outputs/history/result-table.js';
import { tickValues } from '../../src/outputs/history/tick-values.js';
import { v1Window } from '../../src/outputs/json/v1.js';
import { Exporter } from '../../src/outputs/prometheus/exporter.js';
import { toEvaluationJson } from '../../src/outputs/text/evaluation.js';
import type { Difference, Row } from '../../src/rows/row.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { parseExposition } from '../unit/prometheus/exposition.js';

/** A feature that says nothing of itself but what its rows are. */
const NOVELTY = {
  name: 'novelty',
  rows: ({ rows }: { rows: readonly Row[] }) => rows,
  differences: ({ pairs }: { pairs: readonly Difference[] }) => pairs,
};
// Files of a worker share their modules, so the list is given back as it was.
const features = OUTPUTS as unknown as (typeof NOVELTY)[];
beforeAll(() => void features.push(NOVELTY));
afterAll(() => void features.pop());

const ROW: Row = {
  family: 'novelty',
  model: 'good',
  metric: 'surprise',
  k: 3,
  estimator: 'plain',
  form: 'list',
  value: 0.5,
  stdErr: 0.125,
  lower: 0.25,
  upper: 0.75,
  ess: 40,
  counts: { lists: 90 },
  status: 'given',
  reasons: [],
};
const PAIR: Difference = { ...ROW, model: 'popular', reference: 'good', value: -0.25 };

const base = makeSnapshot({ windows: ['1h'] });
const window = { ...base.windows[0]!, novelty: { rows: [ROW], pairs: [PAIR] } };
const snapshot = { ...base, windows: [window] } as Snapshot;

it('rows of an unknown family have gauges', async () => {
  const exporter = new Exporter({ maxModels: 9, version: '0', topics: [] });
  exporter.update(snapshot);
  const samples = parseExposition(await exporter.metrics()).filter(
    ({ labels }) => labels['metric'] === 'surprise',
  );
  expect(samples.map(({ name, value }) => [name, value])).toEqual([
    ['unskew_estimate', 0.5],
    ['unskew_estimate_stderr', 0.125],
    ['unskew_estimate_lower', 0.25],
    ['unskew_estimate_upper', 0.75],
    ['unskew_estimate_difference', -0.25],
    ['unskew_estimate_difference_stderr', 0.125],
    ['unskew_estimate_difference_lower', 0.25],
    ['unskew_estimate_difference_upper', 0.75],
  ]);
  expect(samples[0]!.labels).toEqual({
    model: 'good',
    metric: 'surprise',
    k: '3',
    estimator: 'plain',
    aggregation: 'pooled',
    window: '1h',
  });
});

it('rows of an unknown family are in the history and the result files', () => {
  const kept = [...tickValues(snapshot, { topics: [] })].filter(([key]) =>
    key.includes('surprise'),
  );
  const labels = ['surprise', 3, 'plain', 'pooled', '1h'];
  expect(kept).toContainEqual([JSON.stringify(['estimates', 'good', ...labels, 'value']), 0.5]);
  const pair = ['differences', 'popular', 'good', ...labels, 'upper'];
  expect(kept).toContainEqual([JSON.stringify(pair), 0.75]);
  const columns = resultTable(snapshot);
  const column = (name: string) => columns.find((each) => each.name === name)!.values;
  const places = [...column('metric').keys()].filter((n) => column('metric')[n] === 'surprise');
  expect(places.map((n) => [column('reference')[n], column('value')[n]])).toEqual([
    [null, 0.5],
    ['good', -0.25],
  ]);
});

it('rows of an unknown family are unchanged in the JSON of commands and service', () => {
  expect(toEvaluationJson(snapshot, 0, new Outcomes())).toMatchObject({
    novelty: { rows: [ROW], pairs: [PAIR] },
  });
  expect(v1Window(snapshot.windows[0]!)).toMatchObject({ novelty: { rows: [ROW] } });
});
