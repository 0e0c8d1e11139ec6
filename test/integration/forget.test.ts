import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashBytes } from '../../src/events/hash.js';
import { type PseudonymKey, Pseudonyms } from '../../src/events/pseudonyms.js';
import { Interner } from '../../src/state/ids/interner.js';
import { differences } from '../support/compare.js';
import {
  linesOf,
  replayed,
  series,
  type WindowLine,
  withoutReading,
  written,
} from '../support/estimate-lines.js';
import { THREE_ESTIMATES } from '../support/few-estimates.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

const ERIN = 'erin.who.wants.to.go@example.com';
const SETTINGS = {
  UNSKEW_TIME_TICK: IS_LONG ? '5m' : '10m',
  UNSKEW_TIME_WINDOWS: '10m,1h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_POPULARITY_HORIZON: '2h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
  UNSKEW_ESTIMATES_INTERVAL: 't-logit',
  UNSKEW_STATE_STORE: 'file',
  UNSKEW_STATE_EVERY: '300ms',
  ...THREE_ESTIMATES,
};
/** The second key holds from the middle of the first file on. */
const KEYS: readonly PseudonymKey[] = [
  { key: 'the first secret of thirty-two letters', fromMs: Number.NEGATIVE_INFINITY },
  { key: 'the second secret of thirty-two letters', fromMs: Date.UTC(2026, 0, 1, 0, 30) },
];

let folder: string;
const at = (name: string) => join(folder, name);

/** Lines of both files, in which one user of the log is Erin. */
const lines: Record<'train' | 'events', string[]> = { train: [], events: [] };
const isOfErin = (line: string) => line.includes(ERIN);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-forget-'));
  const simulation = [
    '--users',
    IS_LONG ? '100' : '50',
    '--cycles',
    '3',
    '--list-length',
    '20',
    '--seed',
    '5',
  ];
  expect((await unskew(['simulate', '--out', folder, ...simulation])).code).toBe(0);
  let user = '';
  for (const name of ['train', 'events'] as const) {
    const text = await readFile(at(`${name}.ndjson`), 'utf8');
    user ||= (JSON.parse(text.slice(0, text.indexOf('\n'))) as { user: string }).user;
    lines[name] = text
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(`"user":"${user}"`, `"user":"${ERIN}"`));
    await writeFile(at(`${name}.ndjson`), `${lines[name].join('\n')}\n`);
  }
  const left = lines.events.filter((line) => !isOfErin(line));
  await writeFile(at('left.ndjson'), `${left.join('\n')}\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Files below a folder, and all their bytes. */
async function bytesIn(path: string): Promise<Map<string, string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const file = join(parentPath, name);
        return [file, await readFile(file, 'latin1')] as const;
      }),
    ),
  );
}

// By day the one with more to find: what is kept as it came is in test/unit/commands/state/forget.test.ts.
const BY_PSEUDONYMS = ['by pseudonyms of two keys', KEYS] as const;
const VARIANTS = IS_LONG ? [['by their ids', []] as const, BY_PSEUDONYMS] : [BY_PSEUDONYMS];

function hashOf(user: string): number {
  const ids = new Interner();
  const bytes = Buffer.from(user);
  return ids.hash(ids.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length)));
}

describe.each(VARIANTS)('a forgotten user of a service that stores users %s', (_, keys) => {
  const names = [ERIN, ...(keys.length === 0 ? [] : new Pseudonyms(keys).every(ERIN))];
  let own: string;
  let topics: TestTopics;
  let settings: Record<string, string>;
  let wanted: WindowLine[];

  beforeAll(async () => {
    own = await mkdtemp(join(folder, 'service-'));
    topics = await TestTopics.create(kafkaBrokers, 2);
    const pseudonyms =
      keys.length === 0
        ? { UNSKEW_DEAD_LETTERS_PAYLOAD: 'keep' }
        : {
            UNSKEW_EVENTS_PSEUDONYMS: JSON.stringify([
              { key: keys[0]!.key },
              { key: keys[1]!.key, from: new Date(keys[1]!.fromMs).toISOString() },
            ]),
          };
    settings = {
      ...topics.settings,
      ...SETTINGS,
      ...pseudonyms,
      UNSKEW_STATE_DIR: join(own, 'state'),
      UNSKEW_HISTORY_DIR: join(own, 'history'),
      UNSKEW_RESULTS_OUT: join(own, 'results'),
      UNSKEW_ESTIMATES_FILE: join(own, 'estimates.ndjson'),
      UNSKEW_DEAD_LETTERS_TO: join(own, 'letters.ndjson'),
      UNSKEW_EXPORT_OUT: join(own, 'sets'),
    };
    wanted = series(await replayed([at('train.ndjson'), at('left.ndjson')], settings));
  });
  afterAll(() => topics?.delete());

  const heldIn = async () =>
    [...(await bytesIn(own))].flatMap(([file, bytes]) =>
      names.some((name) => bytes.includes(name)) ? [file] : [],
    );
  /** Files that hold the number by which a live A/B test knows the user. */
  const keyHeldIn = async () => {
    const keysOfErin = names.map((name) => `[${hashOf(name)},`);
    return [...(await bytesIn(own))].flatMap(([file, bytes]) =>
      keysOfErin.some((key) => bytes.includes(key)) ? [file] : [],
    );
  };
  const ofErin = async (service: RunningService) =>
    (await service.scrape())
      .filter(
        ({ name, labels }) => name === 'unskew_events_total' && labels['outcome'] === 'forgotten',
      )
      .reduce((sum, { value }) => sum + value, 0);

  it('is in no stored file or log, and estimates stay as they were', async () => {
    const letter = { type: 'interaction', id: 'x', ts: 1, user: ERIN, item: ['none'] };
    const refused = [letter, { ...letter, user: 'someone' }];
    await topics.sendFiles([at('train.ndjson')]);
    await topics.send(
      'interactions',
      refused.map((each) => ({ key: each.user, value: JSON.stringify(each) })),
    );
    const first = await RunningService.start(['serve'], settings);
    const estimates = [settings['UNSKEW_ESTIMATES_FILE']!];
    await written(estimates, wanted.length / 3);
    // All that was read is in the state.
    expect((await unskew(['forget', ERIN], settings)).stderr).toContain('has a worker: stop');
    expect(await first.stop()).toBe(0);
    await mkdir(join(own, 'sets/night/.partial-1'), { recursive: true });
    await writeFile(join(own, 'sets/night/.partial-1/test.csv'), names.join('\n'));
    const before = await heldIn();
    expect(before.filter((file) => file.includes('/state/')).length).toBeGreaterThan(0);
    expect(before.some((file) => file.endsWith('.partial-1/test.csv'))).toBe(true);
    expect((await keyHeldIn()).filter((file) => file.includes('/state/')).length).toBeGreaterThan(
      0,
    );
    // With pseudonyms letters hold no event at all.
    const letters = keys.length === 0 ? 1 : 0;
    expect(before.filter((file) => file.endsWith('letters.ndjson')).length).toBe(letters);

    const receipt = await unskew(['forget', ERIN], settings);
    expect(receipt).toMatchObject({ code: 0, stderr: '' });
    expect(receipt.stdout).toContain(
      'rewrote the checkpoints of 2 partitions; the user was in 1 of them\n',
    );
    expect(receipt.stdout).toContain(`letters.ndjson: ${letters} of 2 dead letters removed\n`);
    expect(receipt.stdout).toContain('sets: 1 unfinished set removed\n');
    expect(receipt.stdout).toContain(
      `Kafka: ${topics.name}.exposures, ${topics.name}.interactions`,
    );
    for (const name of names) expect(receipt.stdout).not.toContain(name);
    expect(await heldIn()).toEqual([]);
    expect(await keyHeldIn()).toEqual([]);
    expect(await unskew(['state', 'verify'], settings)).toMatchObject({ code: 0 });
    expect((await unskew(['forget', ERIN], settings)).stdout).toContain(
      'the user was in 0 of them',
    );

    await topics.sendFiles([at('events.ndjson')]);
    const second = await RunningService.start(['serve'], settings);
    await written(estimates, wanted.length);
    const sent = lines.events.filter(isOfErin).length;
    expect(sent).toBeGreaterThan(10);
    await eventually(
      'refused events',
      () => ofErin(second),
      (seen) => seen === sent,
    );
    const user = JSON.parse(lines.events.find(isOfErin)!) as { user: string };
    expect((await second.get(`/api/v1/users/${encodeURIComponent(user.user)}`)).status).toBe(404);
    const found = withoutReading(series(await linesOf(estimates)));
    expect(differences(found, withoutReading(wanted), 1e-9)).toEqual([]);
    expect(await second.stop()).toBe(0);
    expect(await heldIn()).toEqual([]);
    for (const name of names) {
      expect(first.output).not.toContain(name);
      expect(second.output).not.toContain(name);
    }
  });

  it('is in no set drawn from a log that still has the user’s events', async () => {
    const range = ['--from', '2026-01-01', '--to', '2026-01-02', '--format', 'csv'];
    const out = ['--out', join(own, 'drawn')];
    const made = await unskew(['export', ...range, ...out], settings);
    expect(made).toMatchObject({ code: 0 });
    expect([...(await bytesIn(join(own, 'drawn'))).keys()].join()).toContain('test.csv');
    expect(await heldIn()).toEqual([]);
  });
});
