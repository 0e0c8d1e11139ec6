import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HistoryFile } from '../../../src/adapters/files/history-file.js';
import type { Alarm } from '../../../src/features/alarm.js';
import { History } from '../../../src/outputs/history/history.js';
import { seriesKey } from '../../../src/outputs/history/series.js';

const MINUTE = 60_000;
let root: string;
let folders = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'unskew-history-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const folder = () => join(root, `run-${folders++}`);
const gamma = (model: string) => seriesKey('propensity', [model, 'ols'], 'gamma');

async function opened(dir: string, keepMs = 60 * MINUTE) {
  const errors: string[] = [];
  const history = new History({ keepMs });
  const file = new HistoryFile(dir, history);
  const told = (error: Error) => errors.push(error.message);
  await file.open().catch(told);
  const add = async (minute: number, values: [string, number][], alarms: Alarm[] = []) => {
    const tick = history.add(minute * MINUTE, values, alarms);
    if (tick !== undefined) await file.add(tick).catch(told);
  };
  return { history, file, errors, add };
}

it('the history file restores values, alarms and later series after a restart', async () => {
  const dir = folder();
  const rest = { size: 1.5, suppressed: null, models: ['a'], topItems: [] };
  const alarm = {
    series: 's',
    detector: 'cusum',
    since: 1,
    at: 2,
    score: 6,
    threshold: 5,
    ...rest,
  };
  const before = await opened(dir);
  await before.add(1, [[gamma('a'), 1.25]]);
  await before.add(
    2,
    [
      [gamma('a'), 1.5],
      [gamma('b'), 1 / 3],
    ],
    [alarm],
  );
  await before.file.close();
  const after = await opened(dir);
  expect(after.errors).toEqual([]);
  const query = { labels: {} };
  expect(after.history.select('propensity', query)).toEqual(
    before.history.select('propensity', query),
  );
  expect(after.history.select('propensity', query).series[1].values['gamma']).toEqual([
    null,
    0.333333,
  ]);
  expect(after.history.alarms()).toEqual([alarm]);
  await after.add(3, [[gamma('c'), 2]]);
  await after.file.close();
  const third = await opened(dir);
  expect(third.history.select('propensity', { labels: { model: 'c' } }).series).toHaveLength(1);
  await third.file.close();
});

it('the history file skips a line that a crash cut short, and continues', async () => {
  const dir = folder();
  const before = await opened(dir);
  await before.add(1, [[gamma('a'), 1]]);
  await before.file.close();
  appendFileSync(join(dir, 'history.ndjson'), '{"t":120000,"v":[1.');
  const after = await opened(dir);
  await after.add(3, [[gamma('a'), 3]]);
  await after.file.close();
  const third = await opened(dir);
  expect(third.errors).toEqual([]);
  expect(third.history.ticks.map(({ paneEnd }) => paneEnd / MINUTE)).toEqual([1, 3]);
  await third.file.close();
});

it('a foreign file stays unchanged; the whole history is written once it is removed', async () => {
  const dir = folder();
  await (await opened(dir)).file.close();
  const path = join(dir, 'history.ndjson');
  writeFileSync(path, '{"schema":"something/else@9"}\n{"t":1}\n');
  const { errors, add, file, history } = await opened(dir);
  await add(1, [[gamma('a'), 1]]);
  await add(2, [[gamma('a'), 1]]);
  expect(errors).toHaveLength(3);
  expect(new Set(errors).size).toBe(1);
  expect(errors[0]).toContain('is not a history of this version');
  expect(history.ticks).toHaveLength(2);
  expect(readFileSync(path, 'utf8')).toContain('something/else@9');
  rmSync(path);
  await add(3, [[gamma('a'), 1]]);
  await file.close();
  expect(errors).toHaveLength(3);
  const after = await opened(dir);
  expect(after.history.ticks.map(({ paneEnd }) => paneEnd / MINUTE)).toEqual([1, 2, 3]);
  await after.file.close();
});

it('the whole history is written once its folder can be used', async () => {
  const dir = folder();
  writeFileSync(dir, 'a file');
  const { errors, add, file } = await opened(dir);
  await add(1, [[gamma('a'), 1]]);
  expect(errors).toHaveLength(2);
  rmSync(dir);
  await add(2, [[gamma('a'), 2]]);
  await file.close();
  expect(errors).toHaveLength(2);
  const after = await opened(dir);
  expect(after.history.ticks.map(({ paneEnd }) => paneEnd / MINUTE)).toEqual([1, 2]);
  await after.file.close();
});

it('the history file is rewritten when most of it is out of date', async () => {
  const dir = folder();
  const { add, file, history, errors } = await opened(dir, 10 * MINUTE);
  for (let minute = 1; minute <= 900; minute++) await add(minute, [[gamma('a'), minute]]);
  await file.close();
  expect(errors).toEqual([]);
  expect(history.ticks).toHaveLength(10);
  const lines = readFileSync(join(dir, 'history.ndjson'), 'utf8').trim().split('\n');
  expect(lines.length).toBeLessThan(250);
  expect(statSync(join(dir, 'history.ndjson')).mode & 0o777).toBe(0o600);
  const after = await opened(dir, 10 * MINUTE);
  expect(after.history.ticks.map(({ paneEnd }) => paneEnd)).toEqual(
    history.ticks.map(({ paneEnd }) => paneEnd),
  );
  expect(after.history.ticks.at(-1)!.paneEnd).toBe(900 * MINUTE);
  await after.file.close();
});
