import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

const FULL_MS = 60_000;
const DISK_BYTES = 64 * 1024 * 1024;
const TICK_MS = 2000;

let root: string;
let disk: string;
let topics: TestTopics;
const services: RunningService[] = [];
const ended = new AbortController();
let sending: Promise<void>;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'unskew-full-disk-'));
  disk = join(root, 'disk');
  await mkdir(disk);
  const { stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]);
  expect(`${stderr}`, 'this test mounts a small disk, for which it needs the right').toBe('');
  topics = await TestTopics.create(kafkaBrokers, 1);
});

afterAll(async () => {
  ended.abort();
  for (const service of services) await service.kill();
  await sending;
  spawnSync('umount', [disk]);
  rmSync(root, { recursive: true, force: true });
});

/** A service whose outputs are all in one folder. */
async function serviceIn(folder: string, group: string): Promise<RunningService> {
  const service = await RunningService.start(['serve'], {
    ...topics.settings,
    UNSKEW_KAFKA_GROUP_ID: `${topics.settings['UNSKEW_KAFKA_GROUP_ID']}.${group}`,
    UNSKEW_TIME_TICK: `${TICK_MS / 1000}s`,
    UNSKEW_TIME_WINDOWS: '4s',
    UNSKEW_TIME_LATENESS: '0s',
    UNSKEW_ATTRIBUTION_CLOCK_SKEW: '0s',
    UNSKEW_ESTIMATES_FILE: join(folder, 'estimates.ndjson'),
    UNSKEW_RESULTS_OUT: join(folder, 'results'),
    UNSKEW_HISTORY_DIR: join(folder, 'history'),
    UNSKEW_DEAD_LETTERS_TO: join(folder, 'dead.ndjson'),
    UNSKEW_STATE_STORE: 'file',
    UNSKEW_STATE_DIR: join(folder, 'state'),
    UNSKEW_STATE_EVERY: '2s',
  });
  services.push(service);
  return service;
}

/** Twice a second a few users see a list and click, and one event is no JSON. */
async function send(): Promise<void> {
  for (let n = 0; !ended.signal.aborted; n++) {
    const ts = Date.now();
    const users = ['ann', 'bob', 'eve', 'kim'];
    const record = (user: string, event: object) => ({
      key: user,
      value: JSON.stringify({ ts, user, ...event }),
    });
    await topics.send(
      'exposures',
      users.map((user, u) =>
        record(user, { id: `e${n}-${u}`, model: 'm', items: [`i${(n + u) % 7}`, `i${n % 3}`] }),
      ),
    );
    await topics.send('interactions', [
      ...users.map((user, u) => record(user, { id: `c${n}-${u}`, item: `i${(n * u) % 7}` })),
      { key: 'ann', value: `{"broken": ${n}` },
    ]);
    await sleep(500);
  }
}

/** Takes all the room that is left. */
async function fill(): Promise<string> {
  const path = join(disk, 'filler');
  const file = await open(path, 'w');
  const block = Buffer.alloc(4096);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  } finally {
    await file.close();
  }
  expect(statfsSync(disk).bavail).toBe(0);
  return path;
}

interface StateName {
  readonly code: string;
  readonly part?: string;
}

async function awayParts(service: RunningService): Promise<string[]> {
  const { states } = JSON.parse((await service.get('/readyz')).body) as { states: StateName[] };
  return states.flatMap(({ code, part }) => (code === 'away' ? part! : []));
}

function linesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** What a service has written by now, by the end of the pane that it is of. */
function written(folder: string) {
  const results = join(folder, 'results');
  const names = existsSync(results)
    ? readdirSync(results, { recursive: true, encoding: 'utf8' })
    : [];
  const tables = names.filter((name) => name.endsWith('.parquet')).sort();
  return {
    estimates: linesOf(join(folder, 'estimates.ndjson')),
    tables: tables.map((name) => [name, readFileSync(join(results, name)).toString('base64')]),
    history: linesOf(join(folder, 'history', 'history.ndjson')).filter((line) =>
      line.startsWith('{"t":'),
    ),
    letters: linesOf(join(folder, 'dead.ndjson')),
  };
}

it('a service writes the same outputs if its disk is full for a minute', async () => {
  const quiet = join(root, 'quiet');
  await mkdir(quiet);
  const undisturbed = await serviceIn(quiet, 'quiet');
  const disturbed = await serviceIn(disk, 'disturbed');
  sending = send();
  await eventually(
    'a few lines of estimates',
    async () => written(disk).estimates.length,
    (lines) => lines > 5,
  );
  expect(await awayParts(disturbed)).toEqual([]);

  const filler = await fill();
  // Whether the store of state is there is not asked while outputs wait: nothing is saved before them.
  const parts = ['results', 'estimates', 'history', 'dead_letters'];
  await eventually(
    'all outputs to be missed',
    () => awayParts(disturbed),
    (found) => parts.every((part) => found.includes(part)),
  );
  const failing = (await disturbed.scrape()).filter(({ name }) => name === 'unskew_output_failing');
  expect(failing.map(({ labels, value }) => [labels['output'], value]).toSorted()).toEqual([
    ['dead_letters', 1],
    ['estimates', 1],
    ['history', 1],
    ['results', 1],
  ]);
  await sleep(FULL_MS);
  expect((await disturbed.get('/readyz')).body).toContain('"ok":true,"checks"');
  rmSync(filler);
  await eventually(
    'all outputs to be back',
    () => awayParts(disturbed),
    (found) => found.length === 0,
  );

  ended.abort();
  await sending;
  // The panes that are left close by the silence.
  await sleep(3 * TICK_MS);
  const codes = await Promise.all([undisturbed.stop(), disturbed.stop()]);
  expect(codes).toEqual([0, 0]);
  const wanted = written(quiet);
  const found = written(disk);
  const { length } = wanted.estimates;
  expect(length).toBeGreaterThan(FULL_MS / TICK_MS);
  expect(found.estimates.length).toBeGreaterThanOrEqual(length - 2);
  for (const kind of ['estimates', 'tables', 'history', 'letters'] as const) {
    const both = Math.min(wanted[kind].length, found[kind].length);
    expect(both, kind).toBeGreaterThan(10);
    expect(found[kind].slice(0, both), kind).toEqual(wanted[kind].slice(0, both));
  }
  expect(found.letters).toEqual(wanted.letters);
});
