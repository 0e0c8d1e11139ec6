import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../../src/adapters/memory/broker.js';
import { replay } from '../../../src/commands/files/replay.js';
import { runService } from '../../../src/commands/service/service.js';
import { loadConfig } from '../../../src/config.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { differences } from '../../support/compare.js';
import { type Event, roleOf } from '../../support/log.js';
import { quietIo } from '../../support/quiet-io.js';

const START = 1_700_000_040_000;
const PANES = 12;
const LIMITS = { 'limits.rows': 3 * 20, 'limits.listEntries': 1e6, 'limits.users': 'none' };
const SETTINGS = {
  'time.tick': '1s',
  'time.windows': ['3s'],
  'time.lateness': '1s',
  'time.idle': '100ms',
  'time.maxFuture': '3650d',
  'attribution.ttl': '2s',
  'popularity.horizon': '30s',
  'drift.detectors': [],
  'kafka.topics.exposures': 'e',
  'kafka.topics.interactions': 'i',
  'http.port': 0,
};

interface Line {
  readonly window: { readonly to: number };
  readonly sampling: { readonly ratio: number };
}

/** Every pane except the first and the last has more interactions than its share of the limit. */
const log = Array.from({ length: PANES }, (_, pane) =>
  Array.from({ length: pane === 0 || pane === PANES - 1 ? 6 : 50 }, (_, n): Event[] => {
    const user = `u${(pane * 7 + n) % 90}`;
    const ts = START + pane * 1000 + n * 15;
    const items = ['a', 'b', 'c'].slice(n % 2);
    return [
      { type: 'exposure', id: `e${pane}-${n}`, ts, user, model: 'm', items },
      { type: 'interaction', id: `x${pane}-${n}`, ts, user, item: 'abc'[n % 3]! },
    ];
  }),
).flat(2);

const USERS = new Set(log.map(({ user }) => user)).size;

/** Value of a series, labels and all. */
function shown(metrics: string, series: string): number {
  return Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1],
  );
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-sample-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function replayed(limits: object): Promise<Line[]> {
  const file = join(folder, 'events.ndjson');
  writeFileSync(file, log.map((event) => `${encodeEvent(event)}\n`).join(''));
  const lines: string[] = [];
  const config = loadConfig({ env: {}, overrides: { ...SETTINGS, ...limits } });
  const options = { config, events: [file], partitions: 1, json: true, all: false, maxFaults: 0 };
  await replay(options, { ...quietIo, stdout: (text) => lines.push(text) });
  return lines.map((line) => {
    const { counts, ...rest } = JSON.parse(line);
    // Only replay reports invalid requests in its output; a service counts them in a metric.
    const { requestFaults, ...others } = counts;
    expect(Object.keys(requestFaults)).toEqual(['served_without_request']);
    return { ...rest, counts: others } as Line;
  });
}

async function served(limits: object, panes: number): Promise<{ lines: Line[]; metrics: string }> {
  const estimatesFile = join(folder, 'served.ndjson');
  rmSync(estimatesFile, { force: true });
  const overrides = { ...SETTINGS, ...limits, estimatesFile };
  const broker = new MemoryBroker();
  for (const topic of ['e', 'i']) broker.createTopic(topic, 1);
  const writer = broker.producer();
  for (const role of ['exposures', 'interactions'] as const) {
    const own = log.filter((event) => roleOf(event) === role);
    const records = own.map((event) => ({ key: event.user, value: encodeEvent(event) }));
    await writer.send(role === 'exposures' ? 'e' : 'i', records);
  }
  const stop = new AbortController();
  let address = '';
  const running = runService({
    config: loadConfig({ env: {}, overrides }),
    io: { ...quietIo, signal: stop.signal },
    source: broker.source({ topics: { exposures: 'e', interactions: 'i' }, group: 'g' }),
    deadLetters: undefined,
    checkpoints: undefined,
    onListening: (at) => {
      address = at;
    },
  });
  const read = () =>
    existsSync(estimatesFile) ? readFileSync(estimatesFile, 'utf8').split('\n').slice(0, -1) : [];
  const end = Date.now() + 20_000;
  while (read().length < panes && Date.now() < end) await new Promise((r) => setTimeout(r, 20));
  const metrics = await (await fetch(`${address}/metrics`)).text();
  stop.abort();
  await running;
  return { lines: read().map((line) => JSON.parse(line) as Line), metrics };
}

describe('user sampling in a service', () => {
  it('gives the estimates that replay gives, and counts sampled-out events', async () => {
    const wanted = await replayed(LIMITS);
    const ratios = wanted.map(({ sampling }) => sampling.ratio);
    expect(ratios[0]).toBe(1);
    expect(Math.min(...ratios)).toBeLessThan(1);
    const { lines, metrics } = await served(LIMITS, wanted.length);
    expect(differences(lines, wanted, 1e-9)).toEqual([]);
    expect(shown(metrics, 'unskew_user_sampling_ratio')).toBe(ratios.at(-1));
    expect(shown(metrics, 'unskew_sampled_out_events_total{topic="i"}')).toBeGreaterThan(100);
    expect(shown(metrics, 'unskew_sampled_out_events_total{topic="e"}')).toBeGreaterThan(100);
    expect(shown(metrics, 'unskew_held{kind="row"}')).toBeLessThanOrEqual(LIMITS['limits.rows']);
    expect(shown(metrics, 'unskew_held{kind="user"}')).toBe(USERS);
  });

  it('leaves nothing out under the default limits', async () => {
    const wanted = await replayed({});
    expect(wanted.map(({ sampling }) => sampling.ratio)).toEqual(wanted.map(() => 1));
    const { lines, metrics } = await served({}, wanted.length);
    expect(differences(lines, wanted, 1e-9)).toEqual([]);
    // The window has three panes, with 50, 50 and 6 rows. Each row within attribution.ttl has a list.
    expect(shown(metrics, 'unskew_held{kind="row"}')).toBe(106);
    expect(shown(metrics, 'unskew_held{kind="list_entry"}')).toBeGreaterThan(2 * 106);
    expect(shown(metrics, 'unskew_held{kind="user"}')).toBe(USERS);
  });
});
