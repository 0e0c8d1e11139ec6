import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RatingsV1 } from '../../src/features/ratings/rating-report.js';
import { unskew } from '../support/program.js';
import { writeRatedWorld } from '../support/rated-world.js';
import { IS_LONG } from '../support/repetitions.js';

/** Threads share the work on files of this size and more (where there is more than one processor). */
const LARGE_BYTES = 8 * 1024 * 1024;
const FAULT = '{"type":"interaction","id":"faulty","ts":"never"}';

interface Log {
  /** The log as a large file. */
  readonly plain: string;
  /** The same compressed to a small file: it is decoded in a single thread. */
  readonly compressed: string;
}

/** Blanks make a small log a large file, on a line in ten: reading it is shared, and soon evaluated. */
const USERS = IS_LONG ? '4500' : '300';
const BLANKS = IS_LONG ? '' : ' '.repeat(20_000);
const widened = (line: string, n: number) =>
  n % 10 === 3 ? line.replace(/\}$/, `${BLANKS}}`) : line;

const widenedMore = (line: string) => line.replace(/\}$/, `${' '.repeat(20_000)}}`);

let folder: string;
let events: Log;
let train: Log;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-threads-'));
  // Lists of requests, and lists that are drawn at random beside them.
  const served = ['--randomized-share', '0.1', '--arms', '2'];
  const size = ['--users', USERS, '--cycles', '3', '--seed', '7', ...served];
  const made = await unskew(['simulate', '--out', folder, ...size]);
  expect(made.code).toBe(0);
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const lines = async (name: string) => (await read(name)).trimEnd().split('\n').map(widened);
  train = await asLog('train', (await lines('train.ndjson')).join('\n'));
  const log = await lines('events.ndjson');
  const repeats = log.filter((_, n) => n % 50 === 0);
  const broken = log.flatMap((line, n) => (n % 997 === 500 ? [FAULT, '', line] : [line]));
  events = await asLog('events', [...broken, ...repeats].join('\n'));
});
afterAll(() => rm(folder, { recursive: true }));

async function asLog(name: string, text: string): Promise<Log> {
  const log = { plain: join(folder, `${name}.plain`), compressed: join(folder, `${name}.gz`) };
  await writeFile(log.plain, text);
  await writeFile(log.compressed, await promisify(gzip)(text));
  expect((await stat(log.plain)).size).toBeGreaterThan(LARGE_BYTES);
  expect((await stat(log.compressed)).size).toBeLessThan(LARGE_BYTES / 2);
  return log;
}

const evaluate = (path: string, ...more: string[]) =>
  unskew(['evaluate', '--json', '--events', path, ...more]);

const named = (text: string) =>
  text.replaceAll(events.plain, 'FILE').replaceAll(events.compressed, 'FILE');

const MOST = 'all estimators and metrics, users resampled';
/** Threads share estimators, or none where something of an estimate cannot be sent. */
const ASKED = {
  'what is the default': [],
  [MOST]: [
    ...['--estimators', 'naive,snips,gs,full,reg,skew,wtd,wtd_h,wtd_ipf,ure', '--interval'],
    ...['bootstrap', '--metrics', 'recall,dcg,mrr,precision,ndcg,map,auc', '--gamma', 'fit'],
  ],
  'absolute propensities and drawn sets': [
    ...['--estimators', 'ips,snips,gs,skew', '--guarantees', 'gs-bernstein', '--draws', '2'],
  ],
};

it('threads weigh ratings by a file of propensities as one thread does, to the digit', async () => {
  writeRatedWorld(folder);
  const at = (name: string) => join(folder, name);
  const fit = ['--kind', 'lr', '--l2', '1', '--out', at('lr.json')];
  expect((await unskew(['propensities', at('chosen.ndjson'), ...fit])).stderr).toBe('');
  const read = (name: string) => readFile(at(name), 'utf8');
  const lines = [await read('lists.ndjson'), await read('chosen.ndjson')].join('');
  const wide = lines.trimEnd().split('\n').map(widenedMore);
  const ratings = await asLog('ratings', wide.join('\n'));
  const asked = ['--metrics', 'mae,rmse,cg', '--propensities', at('lr.json')];
  const [threads, alone] = [
    await evaluate(ratings.plain, ...asked),
    await evaluate(ratings.compressed, ...asked),
  ];
  expect(threads.stdout).toBe(alone.stdout);
  const { propensity, estimates } = (JSON.parse(alone.stdout) as { ratings: RatingsV1 }).ratings;
  expect(propensity.file!.unknown).toEqual({ users: 0, items: 0, values: 0 });
  expect(estimates.filter(({ estimator }) => estimator === 'snips').length).toBeGreaterThan(10);
});

describe('evaluate of a large file', () => {
  it.each(Object.entries(ASKED).filter(([name]) => IS_LONG || name === MOST))(
    'prints to the digit what one thread prints: %s',
    async (_, asked) => {
      const threads = await evaluate(events.plain, '--train', train.plain, ...asked);
      const alone = await evaluate(events.compressed, '--train', train.compressed, ...asked);
      expect(threads.stdout).toBe(alone.stdout);
      expect(named(threads.stderr)).toBe(named(alone.stderr));
      expect(threads.code).toBe(0);
      expect(threads.stderr).toMatch(/events\.plain:501: /);
      expect(JSON.parse(threads.stdout).results.length).toBeGreaterThan(0);
    },
  );

  it('ends with 3 and the line of the fault that is one too many', async () => {
    const threads = await evaluate(events.plain, '--max-faults', '2');
    const alone = await evaluate(events.compressed, '--max-faults', '2');
    expect(threads.code).toBe(3);
    expect(named(threads.stderr)).toBe(named(alone.stderr));
    expect(threads.stderr).toMatch(/more than 2 faulty events.*events\.plain:\d+: /);
  });

  it('says in one line that a second file is not there', async () => {
    const absent = join(folder, 'absent.ndjson');
    const { code, stderr } = await evaluate(events.plain, absent);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`unskew: cannot read ${absent}: no such file`);
  });
});
