import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { duckdb, writeQuery } from '../support/parquet-file.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import { tablesOf } from '../support/rows-log.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';
import type { ParsedSeries } from '../unit/prometheus/exposition.js';

const HOUR = 3_600_000;
const TICK_MS = repetitions(30, 10) * 60_000;
const WINDOW = repetitions(2, 6);
/** A month in small: windows of a few hours, a horizon of many, and a few hours more of events. */
const HOURS = repetitions(16, 40);
const SEEDED = repetitions(14, 36);
/** The window, what attribution looks back by, and one more. */
const KEPT = WINDOW + 3;
const USERS = repetitions(60, 150);
/** Each tick makes them all; the counts of the past are in each alike. */
const METRICS = IS_LONG
  ? {}
  : { UNSKEW_ESTIMATES_METRICS: 'recall,dcg', UNSKEW_ESTIMATES_KS: '10' };
const SETTINGS = {
  UNSKEW_TIME_TICK: `${TICK_MS}ms`,
  UNSKEW_TIME_WINDOWS: `${WINDOW}h`,
  UNSKEW_ATTRIBUTION_TTL: '2h',
  UNSKEW_POPULARITY_HORIZON: `${SEEDED}h`,
  UNSKEW_TIME_IDLE: '3s',
  UNSKEW_STATE_STORE: 'none',
  UNSKEW_ESTIMATES_ESTIMATORS: 'naive,snips,gs,skew,wtd_h',
  ...METRICS,
};
const COMPARED = /^unskew_(estimate|popularity|gamma|exposure|intervention|effective|average)/;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-seeded-'));
});
afterAll(() => rm(folder, { recursive: true }));

const keyOf = ({ name, labels }: ParsedSeries) => `${name} ${JSON.stringify(labels)}`;

/** What a service gives that has read these events, once all of them are in its windows. */
async function served(lines: readonly string[], more: readonly string[], end: number) {
  const topics = await TestTopics.create(kafkaBrokers, 3);
  const path = join(folder, `${topics.name}.ndjson`);
  await writeFile(path, lines.join('\n'));
  await topics.sendFiles([path]);
  const service = await RunningService.start(['serve', ...more], {
    ...topics.settings,
    ...SETTINGS,
  });
  try {
    const series = await eventually(
      'the last window',
      () => service.scrape(),
      (seen) =>
        seen.some(({ name, value }) => name === 'unskew_window_end_seconds' && value * 1000 >= end),
    );
    return new Map(
      series.filter(({ name }) => COMPARED.test(name)).map((each) => [keyOf(each), each.value]),
    );
  } finally {
    expect(await service.stop()).toBe(0);
    await topics.delete();
  }
}

it('a service seeded with past counts gives the numbers of one that read the past', async () => {
  const flags = ['--cycles', `${HOURS}`, '--train-cycles', '0', '--users', `${USERS}`];
  const made = await unskew(['simulate', '--out', folder, ...flags, '--randomized-share', '0.1']);
  expect(made.code, made.stderr).toBe(0);
  const text = await readFile(join(folder, 'events.ndjson'), 'utf8');
  const lines = text.trimEnd().split('\n');
  const times = lines.map((line) => Number(JSON.parse(line).ts));
  const begin = Math.floor(Math.min(...times) / HOUR) * HOUR;
  const end = begin + SEEDED * HOUR;
  const past = join(folder, 'past.ndjson');
  await writeFile(past, lines.filter((_, n) => times[n]! < end).join('\n'));
  const asked = ['sql', '--dialect', 'duckdb', '--kind', 'popularity'];
  const query = await unskew(asked, SETTINGS);
  expect(query.code, query.stderr).toBe(0);
  await (await duckdb()).run(tablesOf(past));
  const seed = join(folder, 'popularity.parquet');
  await writeQuery(seed, query.stdout);
  const rest = lines.filter((_, n) => times[n]! >= end - KEPT * HOUR);
  expect(rest.length).toBeLessThan(lines.length / 2);
  // The pane of the newest event closes in silence, and none follows it.
  const last = (Math.floor(Math.max(...times) / TICK_MS) + 1) * TICK_MS;
  const wanted = await served(lines, [], last);
  const found = await served(rest, ['--popularity-from', seed], last);
  expect(wanted.size).toBeGreaterThan(100);
  expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [key, value] of wanted) {
    const error = Math.abs(found.get(key)! - value) / Math.max(1, Math.abs(value));
    expect(error || 0, `${key}: ${found.get(key)}, not ${value}`).toBeLessThan(1e-12);
  }
});
