import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { FileCheckpointStore } from '../../src/adapters/files/checkpoint-store.js';
import { FileMarkStore } from '../../src/adapters/files/mark-store.js';
import { MemoryBroker } from '../../src/adapters/memory/broker.js';
import { statedSettings } from '../../src/commands/service/serve.js';
import { runService } from '../../src/commands/service/service.js';
import { readConfig } from '../../src/config.js';
import { encodeEvent } from '../../src/events/encode.js';
import type { Mark } from '../../src/outputs/history/marks.js';
import { eventually } from '../support/program.js';
import { quietIo } from '../support/quiet-io.js';

const folder = mkdtempSync(join(tmpdir(), 'unskew-marks-restart-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PARTITIONS = 3;
const broker = new MemoryBroker();

/** A run of the service over the same log and the same folder. */
async function run<Seen>(
  settings: Readonly<Record<string, unknown>>,
  look: (address: string) => Promise<Seen>,
): Promise<Seen> {
  const { config, entries } = readConfig({
    env: {},
    overrides: {
      'http.host': '127.0.0.1',
      'http.port': 0,
      'deadLetters.to': 'none',
      'time.tick': '5s',
      'time.windows': ['30s'],
      'time.idle': '1s',
      'popularity.horizon': '1m',
      gammaPeriod: '30s',
      'attribution.ttl': '10m',
      ...settings,
    },
  });
  const stopping = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const address = await new Promise<string>((resolve, reject) => {
    ended = runService({
      config,
      io: { ...quietIo, signal: stopping.signal },
      source: broker.source({ topics: config.kafka.topics, group: 'marks' }),
      deadLetters: undefined,
      checkpoints: new FileCheckpointStore(folder),
      marks: new FileMarkStore(folder),
      settings: statedSettings(entries),
      onListening: resolve,
    });
    ended.catch(reject);
  });
  const isReady = async () => (await fetch(`${address}/readyz`)).status;
  await eventually('the service to be ready', isReady, (status) => status === 200);
  const seen = await look(address);
  stopping.abort();
  await ended;
  return seen;
}

async function marksAt(address: string): Promise<readonly Mark[]> {
  const answer = await fetch(`${address}/api/v1/marks`);
  return ((await answer.json()) as { marks: readonly Mark[] }).marks;
}

it('a changed setting adds one mark at the next start and keeps earlier marks', async () => {
  const { config } = readConfig({ env: {} });
  const { exposures, interactions } = config.kafka.topics;
  for (const topic of [exposures, interactions]) broker.createTopic(topic, PARTITIONS);
  const writer = broker.producer();
  const start = Date.now() - 60_000;
  for (let n = 0; n < 300; n++) {
    const user = `u${n % 30}`;
    const ts = start + 200 * n;
    const list = {
      type: 'exposure',
      id: `e${n}`,
      ts,
      user,
      model: 'm',
      items: ['a', 'b'],
    } as const;
    await writer.send(exposures, [{ key: user, value: encodeEvent(list) }]);
    const click = { type: 'interaction', id: `c${n}`, ts: ts + 1, user, item: 'a' } as const;
    await writer.send(interactions, [{ key: user, value: encodeEvent(click) }]);
  }
  const first = await run({ 'time.lateness': '1s' }, async (address) => {
    const made = await fetch(`${address}/api/v1/marks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'deploy', text: 'ranker 2.4' }),
    });
    expect(made.status).toBe(201);
    return marksAt(address);
  });
  // Nothing was known before, so nothing has changed.
  expect(first.map(({ text }) => text)).toEqual(['ranker 2.4']);
  const same = await run({ 'time.lateness': '1s' }, marksAt);
  expect(same).toEqual(first);
  const before = Date.now();
  // One is of the state, the other is not.
  const settings = { 'time.lateness': '2s', 'drift.learn': 12 };
  const changed = await run(settings, (address) =>
    eventually(
      'the mark of the change',
      () => marksAt(address),
      (marks) => marks.length > 1,
    ),
  );
  const [deploy, setting] = changed;
  expect(deploy).toEqual(first[0]);
  const text = 'time.lateness: 1s → 2s; drift.learn: 24 → 12';
  expect(setting).toMatchObject({ kind: 'config', text });
  expect(setting!.time).toBeGreaterThanOrEqual(before);
  // All three partitions say so, and it is marked once; what was taken over says it no longer.
  expect(await run(settings, marksAt)).toEqual(changed);
}, 300_000);
