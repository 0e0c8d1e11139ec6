import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { mulberry32 } from '../../bench/synthetic-log.js';
import { blocksIn } from '../../support/examples/documents.js';
import { run } from '../cli/fake-io.js';

/** Records in the shapes that other systems document, each to the first value of a list. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-systems-'));
});
afterAll(() => rm(folder, { recursive: true }));

const minute = (n: number) => new Date(Date.UTC(2026, 0, 5) + n * 60_000).toISOString();

interface Evaluated {
  readonly counts: Readonly<Record<string, number>>;
  readonly onPolicy: { readonly values: readonly { model: string; value: number }[] };
}

async function evaluated(records: readonly object[], ...how: string[]) {
  const file = join(folder, 'log.ndjson');
  await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const few = ['--metrics', 'recall', '--k', '5', '--estimators', 'naive,snips'];
  const args = ['evaluate', '--events', file, ...few, ...how];
  const json = await run([...args, '--json'], BODIES);
  const text = await run(args, BODIES);
  expect([json.code, json.stderr]).toEqual([0, '']);
  return { ...(JSON.parse(json.stdout) as Evaluated), text: text.stdout.replaceAll(/\s+/g, ' ') };
}

const worthOf = ({ onPolicy }: Evaluated, name: string) =>
  onPolicy.values.find(({ model }) => model === name)!.value;

it('lists of OpenSearch UBI queries get the reward of the actions on their hits', async () => {
  const random = mulberry32(3);
  const records: object[] = [];
  const earned = { 'search-a': 0, 'search-b': 0 };
  for (let q = 0; q < 400; q++) {
    const application = q % 2 === 0 ? 'search-a' : 'search-b';
    const of = { application, client_id: `client-${q % 80}`, query_id: `q-${q}` };
    const hits = Array.from({ length: 6 }, (_, k) => `isbn-${(q * 7 + k * (q % 2 ? 3 : 5)) % 40}`);
    const found = { user_query: 'maps', query_response_id: `r-${q}`, query_response_hit_ids: hits };
    const query = { ...of, timestamp: minute(3 * q), ...found, object_id_field: 'isbn' };
    records.push({ _index: 'ubi_queries', _id: `d-${q}`, _source: query });
    const note = (action_name: string, n: number | undefined) => {
      const object = n === undefined ? {} : { object_id: hits[n], object_id_field: 'isbn' };
      const event_attributes = { object, position: { ordinal: n } };
      const event = { ...of, action_name, timestamp: minute(3 * q + 1), event_attributes };
      records.push({ _index: 'ubi_events', _id: `d-${action_name}-${q}`, _source: event });
    };
    note('brand_filter', undefined);
    const n = [0, 1, 2, 3].find(() => random() < 0.2);
    if (n === undefined) continue;
    note('click', n);
    const isBought = random() < 0.3;
    if (isBought) note('purchase', n);
    // Of several actions on an item, the one with the highest reward counts.
    earned[application] += isBought ? 5 : 1;
  }
  const found = await evaluated(records, '--mapping', 'ubi');
  expect(found.counts).toMatchObject({ faults: 0 });
  for (const [model, sum] of Object.entries(earned)) {
    expect(Math.abs(worthOf(found, model) - sum / 200)).toBeLessThan(0.1);
  }
  // Users who were served both halves of the traffic: what they earned decides, as it is counted above.
  const [best, other] = Object.entries(earned).sort(([, a], [, b]) => b - a);
  expect(found.text).toMatch(new RegExp(`^${best![0]} beats ${other![0]}: `));
});

it('a Vowpal Wabbit bandit gets the mean reward of its log', async () => {
  const random = mulberry32(4);
  let rewards = 0;
  const records = Array.from({ length: 500 }, (_, q) => {
    const best = 1 + (q % 4);
    const first = random() < 0.4 ? 1 + Math.floor(4 * random()) : best;
    const a = [first, ...[1, 2, 3, 4].filter((action) => action !== first)];
    const p = a.map((action) => (action === best ? 0.7 : 0.1));
    const isRewarded = random() < (first === best ? 0.5 : 0.2);
    if (isRewarded) rewards++;
    const label = { _label_cost: isRewarded ? -1 : 0, _label_probability: p[0] };
    const chosen = { _label_Action: first, _labelIndex: first - 1, a, p, VWState: { m: 'm7' } };
    const c = { User: { age: 3 }, _multi: a.map((action) => ({ Topic: { t: `${action}` } })) };
    const Timestamp = minute(q).replace('Z', '0000Z');
    return { ...label, ...chosen, Timestamp, Version: '1', EventId: `e-${q}`, c };
  });
  const found = await evaluated(records, '--mapping', 'dsjson');
  expect(found.counts).toMatchObject({ faults: 0, interactions: 500, users: 500 });
  expect(worthOf(found, 'm7')).toBeCloseTo(rewards / 500, 6);
  // Valued by request, as it is known for each what the bandit would show.
  expect(found.text).toMatch(/^No verdict: (only m7 served lists|m7 is the only model), so/);
  expect(found.text).toMatch(new RegExp(`m7 ${(rewards / 500).toFixed(2)} \\(`));
});

it('arms of an exposure table get their reward with the mapping in docs/intake.md', async () => {
  const document = await readFile(new URL('../../../docs/intake.md', import.meta.url), 'utf8');
  const { text } = blocksIn('intake.md', document).find((block) =>
    block.text.includes('/variation_id'),
  )!;
  const config = join(folder, 'unskew.yaml');
  await writeFile(config, text);
  const random = mulberry32(5);
  const bought = [0, 0];
  const records = Array.from({ length: 600 }, (_, u) => {
    const of = { user_id: `c-${u}`, timestamp: minute(u) };
    const seen = { ...of, experiment_id: 'ranker', variation_id: `${u % 2}` };
    const rows: object[] = [seen, { ...seen, timestamp: minute(u + 30) }];
    if (u % 3 === 0) rows.push({ ...seen, experiment_id: 'colours' });
    if (random() < (u % 2 === 0 ? 0.2 : 0.35)) {
      const order = { event: 'order_completed', order_id: `o-${u}`, ...of };
      rows.push({ ...order, timestamp: minute(u + 3000) }, { ...of, event: 'page' });
      bought[u % 2]! += 1;
    }
    return rows;
  }).flat();
  const found = await evaluated(records, '--config', config);
  expect(found.counts).toMatchObject({ faults: 0, positives: bought[0]! + bought[1]! });
  for (const arm of [0, 1]) {
    expect(Math.abs(worthOf(found, `${arm}`) - (5 * bought[arm]!) / 300)).toBeLessThan(0.1);
  }
  expect(found.text).toMatch(/^1 beats 0: \d\.\d+ vs \d\.\d+ reward per user, \+\d+ %/);
});
