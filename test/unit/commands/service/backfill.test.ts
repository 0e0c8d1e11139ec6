import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HistoryFile } from '../../../../src/adapters/files/history-file.js';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { History } from '../../../../src/outputs/history/history.js';
import { seriesKey } from '../../../../src/outputs/history/series.js';
import { mulberry32 } from '../../../bench/synthetic-log.js';
import { duckdb, writeQuery } from '../../../support/parquet-file.js';
import { IS_LONG } from '../../../support/repetitions.js';
import { tablesOf, writeLog } from '../../../support/rows-log.js';
import { run } from '../../cli/fake-io.js';

const HOUR = 3_600_000;
const BEGIN = Date.UTC(2026, 0, 30, 20);
/** The short run computes few estimates: these tests concern windows, files and marks. */
const FEW = ['--set', 'estimates.estimators=naive,snips', '--set', 'estimates.metrics=recall,ndcg'];
const SETTINGS = [
  ...['--set', 'time.tick=10m', '--set', 'time.windows=1h,6h'],
  ...(IS_LONG ? [] : FEW),
];

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const places = ['--set', 'results.out=RESULTS', '--set', 'history.dir=HISTORY'];

/** Run `backfill` with results and history below a folder of this name. */
const backfill = (name: string, more: readonly string[] = [], signal?: AbortSignal) => {
  const into = places.map((text) =>
    text.replace('RESULTS', at(name, 'results')).replace('HISTORY', at(name, 'history')),
  );
  const given = ['backfill', '--rows', at('made'), ...SETTINGS, ...into, ...more];
  return run(given, BODIES, {}, signal);
};

function filesOf(name: string): string[] {
  const results = at(name, 'results');
  if (!existsSync(results)) return [];
  return readdirSync(results, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes('/'))
    .sort();
}

const bytesOf = (name: string) =>
  filesOf(name).map((file) => {
    const bytes = readFileSync(at(name, 'results', file));
    return [file, createHash('sha256').update(bytes).digest('hex')];
  });

/** The history that a service reads from a folder of this name. */
async function historyOf(name: string) {
  const history = new History({ keepMs: 1000 * HOUR });
  const file = new HistoryFile(at(name, 'history'), history);
  await file.open();
  return { history, file };
}

async function madeWith(name: string, flags: readonly string[]): Promise<void> {
  mkdirSync(at(name));
  for (const kind of ['rows', 'popularity', 'lists']) {
    const asked = ['sql', '--dialect', 'duckdb', '--kind', kind, ...flags];
    const { code, stdout, stderr } = await run(asked, BODIES);
    expect(code, stderr).toBe(0);
    await writeQuery(at(name, `${kind}.parquet`), stdout);
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-backfill-'));
  const random = mulberry32(5);
  const below = (n: number) => Math.floor(random() * n);
  const log = Array.from({ length: 1500 }, (_, n) => {
    const ts = BEGIN + n * 20_000 + below(9000);
    const user = `u${below(40)}`;
    const item = () => `i${Math.floor(random() ** 2 * 25)}`;
    return n % 3 === 0
      ? {
          type: 'exposure' as const,
          id: `e${n}`,
          ts,
          user,
          model: `m${below(2)}`,
          items: [...new Set([item(), item(), item(), item(), item()])],
        }
      : { type: 'interaction' as const, id: `x${n}`, ts, user, item: item() };
  });
  await writeLog(at('log.ndjson'), log);
  await (await duckdb()).run(tablesOf(at('log.ndjson')));
  await madeWith('made', SETTINGS);
});
afterAll(() => rm(folder, { recursive: true }));

describe('backfilled windows', () => {
  it('are written to results and history and marked as backfilled', async () => {
    const { code, stdout, stderr } = await backfill('whole');
    expect([code, stderr]).toEqual([
      0,
      'note: past windows do not contain these: requests, ratings, segments from event dimensions, reach of lists, alarms, verdicts\n',
    ]);
    expect(stdout.replaceAll(at('whole'), '')).toBe(
      [
        '8 ticks, 2026-01-30T21:00:00.000Z to 2026-01-31T04:00:00.000Z',
        '/results: 8 new files; existing files are unchanged',
        '/history: 8 ticks, the page shows the last 1d of the history (history.keep)\n',
      ].join('\n'),
    );
    expect(filesOf('whole').slice(2, 5)).toEqual([
      'day=2026-01-30/20260130T230000.000Z.parquet',
      'day=2026-01-30/20260131T000000.000Z.parquet',
      'day=2026-01-31/20260131T010000.000Z.parquet',
    ]);
    const glob = at('whole', 'results', '*', '*.parquet');
    const query = `select count(*) as rows, bool_and(is_backfilled) as marked,
      count(distinct pane_end) as ends, count(value) as numbers,
      string_agg(distinct family, ',' order by family) as families from '${glob}'`;
    const [row] = (await (await duckdb()).runAndReadAll(query)).getRowObjectsJS();
    expect(row).toMatchObject({ marked: true, ends: 8n });
    expect(row!['families']).toBe('estimates,segments');
    expect(Number(row!['numbers'])).toBeGreaterThan(500);
    const { history, file } = await historyOf('whole');
    const asked = { labels: { window: '6h' } };
    const { times, backfilled, series } = history.select('estimates', asked);
    expect(times).toHaveLength(8);
    expect(backfilled).toEqual(times);
    expect(series.length).toBeGreaterThan(2);
    await file.close();
  });

  it('never replace what the service computed itself', async () => {
    const day = at('beside', 'results', 'day=2026-01-31');
    mkdirSync(day, { recursive: true });
    writeFileSync(join(day, '20260131T020000.000Z.parquet'), 'own');
    const own = BEGIN + 6 * HOUR;
    const gamma = seriesKey('propensity', ['*', 'used'], 'gamma');
    const before = await historyOf('beside');
    await before.file.add(before.history.add(own, [[gamma, 7]], [])!);
    await before.file.close();
    const { stdout } = await backfill('beside');
    expect(stdout).toContain('7 new files');
    expect(readFileSync(join(day, '20260131T020000.000Z.parquet'), 'utf8')).toBe('own');
    const { history, file } = await historyOf('beside');
    const asked = { labels: { fit: 'used' }, values: ['gamma'] };
    const { times, backfilled, series } = history.select('propensity', asked);
    expect(times).toHaveLength(8);
    expect(backfilled).toEqual(times.filter((time) => time !== own));
    expect(series[0]!.values['gamma']![times.indexOf(own)]).toBe(7);
    // What the service computes later replaces the backfilled tick.
    await file.add(history.add(own + HOUR, [[gamma, 8]], [])!);
    await file.close();
    await backfill('beside');
    const again = await historyOf('beside');
    const after = again.history.select('propensity', asked);
    expect(after.backfilled).toHaveLength(6);
    expect(after.series[0]!.values['gamma']![after.times.indexOf(own + HOUR)]).toBe(8);
    await again.file.close();
  });

  it('appear in the history of a running service', async () => {
    const { history, file } = await historyOf('running');
    const gamma = seriesKey('propensity', ['*', 'used'], 'gamma');
    await file.add(history.add(BEGIN + 9 * HOUR, [[gamma, 1]], [])!);
    await backfill('running');
    await file.add(history.add(BEGIN + 10 * HOUR, [[gamma, 2]], [])!);
    await file.close();
    const { times, backfilled } = history.select('propensity', { labels: {} });
    expect(times).toHaveLength(10);
    expect(backfilled).toHaveLength(8);
    // The file of the service holds them too, marked as backfilled.
    rmSync(at('running', 'history', 'backfilled.ndjson'));
    const again = await historyOf('running');
    expect(again.history.select('propensity', { labels: {} }).backfilled).toEqual(backfilled);
    await again.file.close();
  });

  it('are complete and identical after an interruption at any point', async () => {
    const wanted = bytesOf('whole');
    expect(wanted).toHaveLength(8);
    for (const ends of IS_LONG ? [1, 3, 4] : [2]) {
      const ending = new AbortController();
      const watch = setInterval(() => {
        if (filesOf('ended').length >= ends) ending.abort();
      }, 0);
      const { code } = await backfill('ended', [], ending.signal);
      clearInterval(watch);
      expect(code).not.toBe(0);
      // What a process leaves behind that is killed during a write.
      writeFileSync(at('ended', 'results', 'day=2026-01-30', '.new-1'), 'half');
      writeFileSync(at('ended', 'history', 'backfilled.ndjson'), '{"t":17', { flag: 'a' });
    }
    expect(bytesOf('ended').filter(([file]) => !file!.includes('/.')).length).toBeLessThan(8);
    const { stdout } = await backfill('ended');
    expect(stdout).toMatch(/: \d new files/);
    expect(bytesOf('ended')).toEqual(wanted);
    const ended = await historyOf('ended');
    const whole = await historyOf('whole');
    const asked = { labels: { window: '1h' } };
    expect(ended.history.select('estimates', asked)).toEqual(
      whole.history.select('estimates', asked),
    );
    for (const { file } of [ended, whole]) await file.close();
  });

  it('end at or after --since and equal those of a full run', async () => {
    await backfill('late', ['--since', '2026-01-31T02:30:00Z']);
    const late = bytesOf('late');
    const whole = bytesOf('whole');
    expect(late).toEqual(whole.slice(-late.length));
    expect(late.map(([file]) => file)).toEqual([
      'day=2026-01-31/20260131T030000.000Z.parquet',
      'day=2026-01-31/20260131T040000.000Z.parquet',
    ]);
  });
});

describe('a backfill without usable input', () => {
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run(['backfill', ...args], BODIES);
    expect(code).not.toBe(0);
    return stderr.trim().split('\n').at(-1)!.replaceAll(folder, '');
  };
  beforeEach(() => rmSync(at('none'), { recursive: true, force: true }));

  it('is refused with the reason', async () => {
    const results = ['--set', `results.out=${at('none')}`];
    expect(await refused('--rows', at('made'))).toMatch(
      /set results.out or history.dir: past windows are written there/,
    );
    expect(await refused('--rows', at('made'), ...results)).toMatch(
      /it was made with time.tick 600000, but the configuration has 60000: make it with unskew sql --kind popularity/,
    );
    const late = ['--since', '2027-01-01'];
    expect(await refused('--rows', at('made'), ...SETTINGS, ...results, ...late)).toMatch(
      /no past window ends within the time range of these rows/,
    );
    expect(await refused('--rows', at('made'), ...SETTINGS, ...results, '--since', 'x')).toMatch(
      /Expected milliseconds since the epoch, or an ISO 8601 time with a time zone/,
    );
    mkdirSync(at('older'), { recursive: true });
    await writeQuery(
      at('older', 'lists.parquet'),
      `select * exclude (came, items) from '${at('made', 'lists.parquet')}'`,
    );
    expect(await refused('--rows', at('older'), ...SETTINGS, ...results)).toMatch(
      /it is not a table of unskew\/rows@1/,
    );
    expect(existsSync(at('none'))).toBe(false);
  });
});
