import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { shuffleSources } from '../../../src/commands/service/service-intake.js';
import { loadConfig, readConfig } from '../../../src/config.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { Pseudonyms } from '../../../src/events/pseudonyms.js';
import { listOf } from '../../../src/stream/intake/part.js';
import { Shuffle } from '../../../src/stream/intake/shuffle.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { differences } from '../../support/compare.js';
import { type Event, feed, smallOptions, threeModels } from '../../support/log.js';
import { paneSeries } from '../../support/pane-series.js';
import { RestartedReader } from '../../support/restarts.js';
import { run } from '../cli/fake-io.js';

const KEY = 'a key that stands in no file of this';
const FEW = {
  UNSKEW_ESTIMATES_ESTIMATORS: 'naive,snips,gs',
  UNSKEW_ESTIMATES_METRICS: 'recall,auc',
  UNSKEW_TIME_WINDOWS: '10m',
};
const PSEUDONYMS = { ...FEW, UNSKEW_EVENTS_PSEUDONYMS: JSON.stringify([{ key: KEY }]) };
const named = (event: Event): Event => ({ ...event, user: `${event.user}@example.com` });
/** Twenty minutes of nine people whose ids are addresses; most of them have not found all there is. */
const LOG = threeModels(400)
  .filter((event) => !('item' in event && event.item < 'c' && event.user < 'u6'))
  .map((event) => named({ ...event, ts: Number(event.ts) * 1000 }));

let folder: string;
let log: string;
let plain: Readonly<Record<string, unknown>>;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-pseudonyms-'));
  log = at('log.ndjson');
  const faulty = '{"type":"interaction","id":"f","ts":60000,"user":["zoe@example.com"],"item":"a"}';
  await writeFile(log, `${LOG.map((event) => `${encodeEvent(event)}\n`).join('')}${faulty}\n`);
  const users = [...new Set(LOG.map(({ user }) => user))];
  const rows = users.map((user, n) => `${user},${n % 2}\n`);
  await writeFile(at('users.csv'), `user,old\n${rows.join('')}`);
  plain = (await evaluated()).result;
});
afterAll(() => rm(folder, { recursive: true }));

async function evaluated(env: Readonly<Record<string, string>> = FEW, ...more: string[]) {
  const args = ['evaluate', '--events', log, '--json', '--k', '2', ...more];
  const { code, stdout, stderr } = await run(args, BODIES, env);
  expect(code, stderr).toBe(0);
  return { result: JSON.parse(stdout) as typeof plain, text: stdout + stderr };
}

/** The content of all files in the folder except the inputs. */
async function written(): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const given = ['log.ndjson', 'users.csv'];
  const files = names.filter((entry) => entry.isFile() && !given.includes(entry.name));
  const texts = files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

describe('user pseudonyms', () => {
  it('leave estimates unchanged, and no command writes the real ids', async () => {
    const found = await evaluated(PSEUDONYMS, '--html', at('report.html'));
    expect(differences(found.result['results'], plain['results'], 1e-9)).toEqual([]);
    const commands = [
      ['replay', '--events', log, '--json'],
      ['export', '--events', log, '--format', 'csv', '--with-train', '--out', at('set')],
      ['train', '--events', log, '--kind', 'item-knn', '--out', at('lists.ndjson')],
      ['propensities', '--events', log, '--kind', 'lr', '--user-features', at('users.csv')].concat(
        '--out',
        at('propensities.json'),
      ),
    ];
    for (const args of commands) {
      const { code, stdout, stderr } = await run(args, BODIES, PSEUDONYMS);
      expect(code, `${args[0]}: ${stderr}`).toBe(0);
      expect(stdout + stderr).not.toMatch(/@example|zoe/);
    }
    expect(found.text).toContain('wrong_type: not shown, because users have pseudonyms');
    expect(found.text).not.toMatch(/@example|zoe/);
    const files = await written();
    expect(files).toMatch(/~[\w-]{22}/);
    expect(files).not.toMatch(/@example|zoe/);
    expect(files).not.toContain(KEY);
  });

  it('prevent the export of the same set again under another key', async () => {
    const out = ['--format', 'csv', '--out', at('first')];
    expect((await run(['export', '--events', log, ...out], BODIES, PSEUDONYMS)).code).toBe(0);
    const again = ['export', '--from-manifest', at('first'), '--out', at('again')];
    expect((await run(again, BODIES, PSEUDONYMS)).code).toBe(0);
    const other = { UNSKEW_EVENTS_PSEUDONYMS: JSON.stringify([{ key: `${KEY}!` }]) };
    for (const [env, how] of [
      [other, 'with pseudonyms made with other keys'],
      [{}, 'with pseudonyms made with other keys'],
    ] as const) {
      const refused = await run([...again.slice(0, 3), '--out', at('third')], BODIES, env);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(how);
    }
  });

  it('replace user ids in the events, parts and keys that the intake writes', () => {
    const users = { '/user': 'ann@example.com', '/other': 'bob@example.com' };
    const mapping = { impression: { ts: '/ts', user: '/user', item: '/sku', model: '/by' } };
    const overrides = {
      'events.pseudonyms': [{ key: KEY }],
      'intake.sources': [{ topic: 'clicks' }, { topic: 'views', events: 'exposures', mapping }],
    };
    const config = loadConfig({ file: undefined, env: {}, overrides });
    const shuffle = new Shuffle(shuffleSources(config, undefined));
    const click = { type: 'interaction', id: 'c', ts: 5, user: users['/user'], item: 'a' };
    const view = { ts: 6, user: users['/other'], sku: 'a', by: 'm' };
    const read = (topic: string, event: object) => {
      const from = { topic, partition: 0, offset: '0', key: null, headers: {} };
      const value = new TextEncoder().encode(JSON.stringify(event));
      return shuffle.read(topic, 0, [{ from, value, ts: 0 }], () => 60_000).records;
    };
    const pseudonyms = new Pseudonyms([{ key: KEY, fromMs: 0 }]);
    const [event] = read('clicks', click).interactions;
    const [part] = read('views', view).parts;
    expect(event!.key).toBe(pseudonyms.of(users['/user'], 5));
    expect(JSON.parse(event!.value)).toMatchObject({ ...click, user: event!.key });
    expect(part!.key).toBe(pseudonyms.of(users['/other'], 6));
    expect(`${event!.value}${part!.value}`).not.toContain('@example');
    // A pseudonym that the intake has written is not replaced again.
    expect(pseudonyms.of(String(event!.key), 5)).toBe(event!.key);
  });

  it('replace user ids within list and basket ids, which still match', () => {
    const shared = { ts: '/ts', user: '/user' };
    const impression = { ...shared, item: '/sku', model: '/by', list: '/user', surface: '/at' };
    const each = { path: '/lines', each: '/sku' };
    const exposure = { join: ['/user', '/at'] };
    const interaction = { ...shared, id: '/user', item: each, exposure };
    const overrides = {
      'events.pseudonyms': [{ key: KEY }],
      'intake.sources': [
        { topic: 'views', events: 'exposures', mapping: { impression } },
        { topic: 'orders', events: 'interactions', mapping: { interaction } },
      ],
    };
    const config = loadConfig({ file: undefined, env: {}, overrides });
    const shuffle = new Shuffle(shuffleSources(config, undefined));
    const event = { ts: 6, user: 'ann@example.com', sku: 'a', by: 'm', at: 'home' };
    const read = (topic: string, value: object) => {
      const from = { topic, partition: 0, offset: '0', key: null, headers: {} };
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      return shuffle.read(topic, 0, [{ from, value: bytes, ts: 0 }], () => 60_000).records;
    };
    const parts = read('views', event).parts.map(({ value }) => value);
    const lines = read('orders', { ...event, lines: [{ sku: 'a' }, { sku: 'b' }] });
    const bought = lines.interactions.map(({ value }) => value);
    expect(`${parts}${bought}`).not.toContain('@example');
    const list = listOf([JSON.parse(parts[0]!)], 1).event;
    expect(bought.map((value) => JSON.parse(value))).toMatchObject([
      { id: list.user, exposure: list.id },
      { id: `${list.user}/1`, exposure: list.id },
    ]);
  });
});

const STREAM = threeModels(180).map(named);
const SMALL = smallOptions({ popularity: { horizonMs: 60, of: 'positive' } });
const OPTIONS = {
  ...SMALL,
  estimates: {
    ...SMALL.estimates,
    metrics: ['dcg'] as const,
    estimators: ['naive', 'gs'] as const,
  },
};
const keyed = (...keys: { key: string; fromMs: number }[]) => ({ ...OPTIONS, pseudonyms: keys });
const FIRST = { key: `${KEY} 1`, fromMs: Number.NEGATIVE_INFINITY };

describe('a change of the pseudonym key', () => {
  const how = { partitions: 2, batchSize: 7, run: 2 };
  const rotated = keyed(FIRST, { key: `${KEY} 2`, fromMs: 1500 });
  const windowsOf = (options: typeof OPTIONS) =>
    feed(STREAM, options, how).snapshots.flatMap(({ windows }) => windows);

  it('is marked in the windows that span it, and changes no other window', () => {
    const undisturbed = windowsOf(OPTIONS);
    const found = windowsOf(rotated);
    expect(found.length).toBe(undisturbed.length);
    let marked = 0;
    let moved = 0;
    for (const [n, window] of found.entries()) {
      const isOff = differences(window.results, undisturbed[n]!.results, 1e-9).length > 0;
      if (window.renamedAt === undefined) expect([window.to, isOff]).toEqual([window.to, false]);
      else {
        expect(window.renamedAt).toBe(1500);
        marked++;
        if (isOff) moved++;
      }
    }
    expect(marked).toBeGreaterThan(5);
    expect(marked).toBeLessThan(found.length / 3);
    // Most of the marked windows do have other numbers.
    expect(moved).toBeGreaterThan(marked / 2);
  });
});

describe('a checkpoint with real user ids', () => {
  function continued(from: RestartedReader, options: typeof OPTIONS): RestartedReader {
    for (let p = 0; p < 2; p++) from.checkpoint(p);
    const after = new RestartedReader(STREAM, options, 2);
    for (const [p, bytes] of from.checkpoints) after.checkpoints.set(p, bytes);
    after.restart();
    return after;
  }
  const half = (reader: RestartedReader) => {
    for (let n = 0; n < 12; n++) {
      for (const role of ['exposures', 'interactions'] as const) {
        for (let p = 0; p < 2; p++) reader.read(role, p, 4);
      }
    }
    return reader;
  };
  const namesIn = (reader: RestartedReader) =>
    [...reader.checkpoints.values()].some((bytes) =>
      Buffer.from(bytes).toString('latin1').includes('@example'),
    );

  it('continues with pseudonyms only and gives the same numbers', () => {
    const before = half(new RestartedReader(STREAM, OPTIONS, 2));
    const after = continued(before, keyed(FIRST));
    expect(namesIn(before)).toBe(true);
    half(after);
    for (let p = 0; p < 2; p++) after.checkpoint(p);
    expect(namesIn(after)).toBe(false);
    const user = STREAM[0]!.user;
    const looked = after.lookup.user(user);
    expect(looked?.user).toMatch(/^~[\w-]{22}$/);
    expect(after.lookup.user(looked!.user)).toEqual(looked);
    after.finish();
    const undisturbed = new RestartedReader(STREAM, OPTIONS, 2);
    undisturbed.finish();
    const resultsOf = (snapshots: readonly Snapshot[]) =>
      paneSeries(snapshots).map(({ paneEnd, windows }) => ({
        paneEnd,
        results: windows.map(({ results }) => results),
      }));
    const found = resultsOf(after.snapshots);
    const wanted = resultsOf(undisturbed.snapshots).filter(
      ({ paneEnd }) => paneEnd >= found[0]!.paneEnd,
    );
    expect(found.length).toBeGreaterThan(20);
    expect(differences(found, wanted, 1e-9)).toEqual([]);
  });
});

describe('pseudonym keys', () => {
  const read = (pseudonyms: unknown, more: Readonly<Record<string, unknown>> = {}) =>
    readConfig({ env: {}, overrides: { 'events.pseudonyms': pseudonyms, ...more } });

  it('may come from a file, and withhold the payload of dead letters', async () => {
    await writeFile(at('key'), `${KEY}\n`);
    const { config } = read([{ file: at('key') }, { key: `${KEY}2`, from: '2026-12-01T00:00Z' }]);
    expect(config.events.pseudonyms).toEqual([
      { key: KEY, fromMs: Number.NEGATIVE_INFINITY },
      { key: `${KEY}2`, fromMs: Date.UTC(2026, 11, 1) },
    ]);
    expect(config.deadLetters.payload).toBe('withhold');
    expect(readConfig({ env: {} }).config.deadLetters.payload).toBe('keep');
    expect(() => read([{ key: KEY }], { 'deadLetters.payload': 'keep' })).toThrow(
      /deadLetters\.payload: expected withhold, because events\.pseudonyms is set/,
    );
  });

  it('are refused with a reason that does not reveal them', () => {
    const cases: [unknown, string][] = [
      [KEY, 'expected a list of objects with key or file, and from, found (hidden)'],
      [[{ key: 'short secret' }], '[0]: expected a key of at least 32 characters'],
      [[{ file: at('none') }], '[0].file: cannot be read: ENOENT'],
      [[{ key: KEY, file: 'x' }], '[0]: expected key or file, and not both'],
      [[{ key: KEY, since: 3 }], '[0].since: unknown; known here: key, file, from'],
      [[{ key: KEY, from: 'today' }], '[0].from: expected a time such as 2026-12-01T00:00:00Z'],
      [
        [{ key: KEY }, { key: KEY }],
        '[1].from: expected a time later than that of the key before it',
      ],
    ];
    for (const [written, message] of cases) {
      let told = '';
      try {
        read(written);
      } catch (error) {
        told = (error as Error).message;
      }
      expect(told).toContain(message);
      expect(told).not.toMatch(/secret|a key that stands/);
    }
  });
});
