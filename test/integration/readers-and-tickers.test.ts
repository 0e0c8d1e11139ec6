import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { writeClosing } from '../support/closing-records.js';
import { differences } from '../support/compare.js';
import {
  linesOf,
  replayed,
  series,
  type WindowLine,
  WrittenWindows,
  withoutReading,
} from '../support/estimate-lines.js';
import { THREE_ESTIMATES } from '../support/few-estimates.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

const PARTITIONS = 4;
const TICK_MS = 600_000;
const LATENESS_MS = 10_000;
const SETTINGS = {
  UNSKEW_TIME_TICK: `${TICK_MS}ms`,
  UNSKEW_TIME_LATENESS: `${LATENESS_MS}ms`,
  UNSKEW_TIME_WINDOWS: '10m,1h',
  // Longer than the test: panes close by what comes after them, and not by silence.
  UNSKEW_TIME_IDLE: '10m',
  UNSKEW_POPULARITY_HORIZON: '2h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '3s',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  ...THREE_ESTIMATES,
};

let folder: string;
let topics: TestTopics;
let files: readonly string[];
const running: RunningService[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-roles-'));
  topics = await TestTopics.create(kafkaBrokers, PARTITIONS);
  const size = ['--users', '60', '--cycles', '3', '--list-length', '12', '--seed', '8'];
  expect((await unskew(['simulate', '--out', folder, ...size])).code).toBe(0);
  files = ['train.ndjson', 'events.ndjson'].map((name) => join(folder, name));
});

afterEach(async () => {
  for (const service of running.splice(0)) await service.kill();
});

afterAll(async () => {
  await topics?.delete();
  await rm(folder, { recursive: true, force: true });
});

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  ...topics.settings,
  ...SETTINGS,
  UNSKEW_STATE_STORE: 'file',
  UNSKEW_STATE_EVERY: '300ms',
  UNSKEW_STATE_DIR: join(folder, 'state'),
  UNSKEW_ESTIMATES_FILE: join(folder, 'estimates.ndjson'),
  ...more,
});

async function start(
  role: readonly string[],
  more?: Readonly<Record<string, string>>,
): Promise<RunningService> {
  const service = await RunningService.start(['serve', ...role], settings(more));
  running.push(service);
  return service;
}

interface Ready {
  readonly status: number;
  /** The text of each check. */
  readonly checks: Readonly<Record<string, string>>;
}

async function ready(service: RunningService): Promise<Ready> {
  const { status, body } = await service.get('/readyz');
  const { checks } = JSON.parse(body) as { checks: { name: string; detail?: string }[] };
  return { status, checks: Object.fromEntries(checks.map((own) => [own.name, own.detail ?? ''])) };
}

const becomesReady = (service: RunningService, partitions: string) =>
  eventually(
    `a process that is ready with ${partitions}`,
    () => ready(service),
    ({ status, checks }) => status === 200 && checks['assigned'] === partitions,
  );

/** As texts, which are the same to the last digit. */
const asTexts = (lines: readonly WindowLine[]) =>
  withoutReading(lines).map((line) => JSON.stringify(line));

it('two readers and a ticker give the numbers of one process and of `replay`, despite a kill', async () => {
  const wanted = await replayed(files, SETTINGS);
  await start([], {
    UNSKEW_KAFKA_GROUP_ID: `${topics.name}.alone`,
    UNSKEW_STATE_DIR: join(folder, 'alone'),
    UNSKEW_ESTIMATES_FILE: join(folder, 'alone.ndjson'),
  });
  const ticker = await start(['--role', 'tick']);
  const readers = [await start(['--role', 'read']), await start(['--role', 'read'])];
  for (const reader of readers) {
    const { checks } = await becomesReady(reader, '2 partitions');
    expect(checks['panes_topic']).toBe('this process writes panes for tickers');
  }
  await topics.sendFiles(files.slice(0, 1));
  const path = join(folder, 'estimates.ndjson');
  const windows = new WrittenWindows();
  await eventually(
    'a third of all windows',
    () => windows.count([path]),
    (count) => count >= wanted.length / 3,
  );
  await readers[0]!.kill();
  const third = await start(['--role', 'read']);
  await topics.sendFiles(files.slice(1));
  const last = wanted.at(-1)!.window.to;
  const how = { partitions: PARTITIONS, latenessMs: LATENESS_MS, tickMs: TICK_MS };
  await writeClosing(topics, last - 1, how);
  for (const file of [path, join(folder, 'alone.ndjson')]) {
    const written = new WrittenWindows();
    await eventually(
      `all windows in ${file}`,
      () => written.count([file]).then(() => written.until),
      (until) => until >= last,
    );
  }
  const found = series(await linesOf([path])).filter(({ window }) => window.to <= last);
  expect(wanted.length).toBeGreaterThan(20);
  expect(differences(withoutReading(found), withoutReading(series(wanted)), 1e-12)).toEqual([]);
  const one = await linesOf([join(folder, 'alone.ndjson')]);
  expect(asTexts(found)).toEqual(asTexts(one.slice(0, found.length)));

  // What each of them answers.
  await becomesReady(third, '2 partitions');
  const { checks } = await becomesReady(ticker, `${PARTITIONS} partitions`);
  expect(checks['panes_topic']).toBe('this process ticks and writes the numbers');
  const [user] = /"user":"[^"]+"/.exec(await lineOf(files[1]!))!;
  const of = `/api/v1/users/${(JSON.parse(`{${user}}`) as { user: string }).user}`;
  expect((await ticker.get(of)).status).toBe(200);
  for (const path of [of, '/api/v1/estimates']) {
    expect(await third.get(path)).toMatchObject({
      status: 503,
      body: expect.stringContaining(
        'this process does not compute numbers: send the request to a process with serve --role tick',
      ),
    });
  }
  await expectRefused(third);
});

async function lineOf(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).split('\n')[0]!;
}

/** A process that does all, beside readers of its group. */
async function expectRefused(reader: RunningService): Promise<void> {
  const refused = await unskew(['serve'], settings());
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    'was made by `serve --role read` and holds no rows: start with that role, or with another kafka.groupId',
  );
  const alone = await start([], { UNSKEW_STATE_DIR: join(folder, 'other') });
  const { status } = await eventually(
    'the process to say what is wrong',
    () => ready(alone),
    ({ checks }) =>
      /other processes of the group read the rest\. To share partitions, start readers with --role read, and one process with --role tick/.test(
        checks['assigned'] ?? '',
      ),
  );
  expect(status).toBe(503);
  expect(await alone.stop()).toBe(0);
  expect(reader.hasEnded).toBe(false);
}
