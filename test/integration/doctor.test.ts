import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mulberry32 } from '../bench/synthetic-log.js';
import { wordsOf } from '../support/examples/shell.js';
import { produceForeign, serializeForeign } from '../support/librdkafka/librdkafka.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { addressOf } from '../support/shared/address-of.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics, TestTopics } from '../support/topics.js';

const PAGE = new URL('../../docs/ten-minutes.md', import.meta.url);
const SESSIONS = 60;
const OWN = 14;
const BEGIN = Date.now() - 6 * 3_600_000;
const MINUTE = 60_000;

const IMPRESSION = {
  type: 'record',
  name: 'Impression',
  namespace: 'shop',
  fields: [
    { name: 'occurred_at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    ...['request_id', 'user_id', 'session', 'sku', 'slot'].map((name) => ({
      name,
      type: 'string',
    })),
    { name: 'position', type: 'int' },
  ],
};

interface Window {
  readonly results: readonly { readonly value: number | null; readonly events: number }[];
}

let folder: string;
let topics: TestTopics;
let registry: string;
let names: { views: string; clicks: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-doctor-'));
  topics = await TestTopics.create(kafkaBrokers, 1);
  registry = await addressOf('registry');
  names = { views: `${topics.name}.impressions`, clicks: `${topics.name}.clicks` };
  const admin = topics.kafka.admin();
  await admin.connect();
  await createTopics(admin, [
    { topic: names.views, numPartitions: 6 },
    { topic: names.clicks, numPartitions: 4 },
  ]);
  await admin.disconnect();
  await send();
});

afterAll(async () => {
  const admin = topics.kafka.admin();
  await admin.connect();
  const internal = ['exposures', 'exposures.parts', 'interactions'].map((name) => `unskew.${name}`);
  const all = await admin.listTopics();
  const own = [names.views, names.clicks, ...internal].filter((name) => all.includes(name));
  await admin.deleteTopics({ topics: own });
  await admin.disconnect();
  await topics.delete();
  await rm(folder, { recursive: true });
});

/**
 * Sessions of 20 users, each with a list, a click on it, and fourteen organic clicks; keyed by
 * session.
 */
async function send(): Promise<void> {
  const random = mulberry32(3);
  const views: { key: string; value: object }[] = [];
  const clicks: { key: string; value: object }[] = [];
  for (let n = 0; n < SESSIONS; n++) {
    const at = BEGIN + n * 5 * MINUTE;
    const session = `s${n}`;
    const shared = { user_id: `u${n % 20}`, session, request_id: `r${n}` };
    const skus = Array.from({ length: 8 }, (_, place) => `sku${(n * 7 + place * 5) % 40}`);
    for (const [place, sku] of skus.entries()) {
      const value = { ...shared, sku, slot: 'home', position: place + 1, occurred_at: at + place };
      views.push({ key: session, value });
    }
    const click = (at: number, sku: string | undefined, more: object) => {
      const id = `c${clicks.length}`;
      const time = new Date(at).toISOString();
      const event = { event_id: id, event: 'click', user_id: shared.user_id, session, time };
      clicks.push({ key: session, value: { ...event, ...more, product: { sku } } });
    };
    click(at + MINUTE, skus[Math.floor(random() * skus.length)], { request_id: `r${n}` });
    const others = Array.from({ length: 40 }, (_, sku) => `sku${sku}`).filter(
      (sku) => !skus.includes(sku),
    );
    for (let own = 1; own <= OWN; own++) {
      click(at + MINUTE + own * 1000, others[Math.floor(random() * others.length)], {});
    }
  }
  const framed = await serializeForeign({
    registry,
    topic: names.views,
    kind: 'avro',
    schema: IMPRESSION,
    values: views.map(({ value }) => value),
  });
  const config = { 'bootstrap.servers': kafkaBrokers, 'compression.type': 'lz4' };
  await produceForeign(config, [
    ...views.map(({ key }, n) => ({ topic: names.views, key, value: framed[n]! })),
    ...clicks.map(({ key, value }) => {
      return { topic: names.clicks, key, value: Buffer.from(JSON.stringify(value)) };
    }),
  ]);
}

/** The commands of the page, with the addresses and names of this test. */
async function commands(): Promise<string[][]> {
  const text = await readFile(PAGE, 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
  const lines = blocks.flatMap((block) => block.split('\n').filter((line) => line !== ''));
  const known: readonly [string, string][] = [
    ['localhost:9092', kafkaBrokers],
    ['http://localhost:8081', registry],
    ['shop.impressions', names.views],
    ['shop.clicks', names.clicks],
    ['unskew.yaml', join(folder, 'unskew.yaml')],
  ];
  return lines.map((line) =>
    wordsOf(known.reduce((words, [there, here]) => words.replaceAll(there, here), line)),
  );
}

describe('the page “Start with Kafka”', () => {
  it('gets from topics in a foreign format to the first estimate with its own commands', async () => {
    const [look, start, ask] = (await commands()) as [string[], string[], string[]];
    const looked = await unskew(look.slice(2));
    expect([looked.code, looked.stderr]).toEqual([0, '']);
    expect(looked.stdout).toMatch(/keyed by +\/session/);
    expect(looked.stdout).toMatch(/holds +single impressions/);
    expect(looked.stdout).toContain('of the users are in several partitions');
    expect(looked.stdout).toContain('lists have no model');
    const config = await readFile(join(folder, 'unskew.yaml'), 'utf8');
    expect(config).toContain('item: /product/sku');

    const address = new URL(`http://${ask.at(-1)}`);
    const service = await RunningService.start(start.slice(2), { UNSKEW_HTTP_PORT: '0' });
    try {
      const rows = await eventually(
        'the first number',
        async () => {
          const { body } = await service.get(address.pathname + address.search);
          const { windows = [] } = JSON.parse(body) as { windows?: Window[] };
          return windows.flatMap(({ results }) => results);
        },
        (found) => found.some(({ value }) => value !== null),
        90_000,
      );
      expect(rows.some(({ events }) => events > 0)).toBe(true);
      // What a changing group kept from being committed is written again: the list has it once, or
      // is complete by then, and no item is in none.
      const fine = ['written', 'repeated_part', 'late_part'];
      const of = async () =>
        (await service.scrape()).filter(({ name }) => name === 'unskew_intake_records_total');
      const records = await eventually('a list for each item', of, (seen) =>
        seen.some(
          ({ labels, value }) =>
            labels['topic']!.endsWith('.parts') &&
            labels['outcome'] === 'written' &&
            value >= 8 * SESSIONS,
        ),
      );
      expect(records.filter(({ labels }) => !fine.includes(labels['outcome']!))).toEqual([]);
    } finally {
      await service.stop();
    }
    const again = await unskew(look.slice(2));
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('it already exists')]);
  }, 120_000);
});

describe('files in a foreign format', () => {
  it('are evaluated with the configuration that doctor wrote for them', async () => {
    const file = join(folder, 'foreign.ndjson');
    const lists = Array.from({ length: 30 }, (_, n) => ({
      uuid: `e${n}`,
      event: 'recommendation_served',
      at: 1_767_225_600 + n,
      user: { id: `u${n % 9}` },
      ranker: n % 2 ? 'a' : 'b',
      items: ['x', 'y', `z${n}`],
    }));
    const clicks = lists.map(({ user, at }, n) => ({
      uuid: `c${n}`,
      event: 'click',
      at: at + 5,
      user,
      item_id: n % 3 ? 'x' : 'y',
    }));
    const lines = [...lists, ...clicks].sort((a, b) => a.at - b.at);
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const out = join(folder, 'files.yaml');
    const looked = await unskew(['doctor', '--files', file, '--out', out]);
    expect([looked.code, looked.stderr]).toEqual([0, '']);
    const evaluated = await unskew(['evaluate', '--config', out, '--events', file, '--json']);
    expect([evaluated.code, evaluated.stderr]).toEqual([0, '']);
    const { results } = JSON.parse(evaluated.stdout) as { results: { model: string }[] };
    const models = results.map(({ model }) => model);
    expect(models).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('end the command with one line if they hold no events', async () => {
    const file = join(folder, 'log.ndjson');
    await writeFile(file, '{"level":"info","message":"up"}\n');
    const { code, stderr } = await unskew(['doctor', '--files', file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^unskew: not ready: .* no record in it looks like a list [^\n]*\n$/);
  });
});
