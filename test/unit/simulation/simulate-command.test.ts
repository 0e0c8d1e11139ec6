import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simulate } from '../../../src/commands/files/simulate.js';
import { Simulation } from '../../../src/simulation/simulation.js';

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const simulation = {
  seed: 3,
  users: 50,
  items: 40,
  relevantPerUser: 12,
  listLength: 15,
  drift: { atMs: start + 3 * hour, ranker: 'blend' },
} as const;
const options = { simulation, cycles: 4, trainCycles: 3, gzip: false };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'simulate-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

test('the log is split by cycles into a train and an evaluated part, both in event-time order', async () => {
  const summary = await simulate(options, join(folder, 'plain'));
  const train = linesOf(summary.train.path).map((line) => JSON.parse(line));
  const events = linesOf(summary.events.path).map((line) => JSON.parse(line));
  expect(train.length).toBe(summary.train.events);
  expect(events.length).toBe(summary.events.events);
  expect(train.at(-1).ts).toBeLessThan(start + 3 * hour);
  expect(events[0].ts).toBeGreaterThanOrEqual(start + 3 * hour);
  const all = [...new Simulation({ ...simulation, durationMs: 4 * hour }).events()];
  expect([...train, ...events]).toEqual(all);
});

test('the truth file has the parameters and the true values by interval', async () => {
  // All but the last cycle are for training where nothing else is said.
  const { trainCycles: _, ...unsplit } = options;
  const summary = await simulate(unsplit, join(folder, 'truth'));
  const truth = JSON.parse(readFileSync(summary.truth, 'utf8'));
  const same = new Simulation({ ...simulation, durationMs: 4 * hour });
  expect(truth).toMatchObject({ gamma: 2, beta: 1.5, seed: 3, catalogueSize: 40 });
  expect(truth.splitMs).toBe(start + 3 * hour);
  expect(truth.parameters).toEqual(same.options);
  expect(truth.intervals).toEqual([
    { from: start, to: start + 3 * hour, values: same.truth(start) },
    { from: start + 3 * hour, to: start + 4 * hour, values: same.truth(start + 3 * hour) },
  ]);
});

test('the same options give the same bytes, plain or compressed', async () => {
  const one = await simulate(options, join(folder, 'one'));
  const two = await simulate(options, join(folder, 'two'));
  expect(hashOf(two.train.path)).toBe(hashOf(one.train.path));
  expect(hashOf(two.events.path)).toBe(hashOf(one.events.path));
  expect(hashOf(two.truth)).toBe(hashOf(one.truth));
  const packed = await simulate({ ...options, gzip: true }, join(folder, 'packed'));
  const again = await simulate({ ...options, gzip: true }, join(folder, 'again'));
  expect(packed.train.path.endsWith('train.ndjson.gz')).toBe(true);
  expect(gunzipSync(readFileSync(packed.train.path))).toEqual(readFileSync(one.train.path));
  expect(hashOf(again.train.path)).toBe(hashOf(packed.train.path));
});

test('progress ends at the full duration', async () => {
  const seen: [number, number][] = [];
  await simulate(options, join(folder, 'progress'), (done, total) => seen.push([done, total]));
  expect(seen.at(-1)).toEqual([4 * hour, 4 * hour]);
  expect(seen.length).toBeGreaterThan(1);
});

test.each([
  [{ ...options, cycles: 0 }, 'cycles is 0'],
  [{ ...options, trainCycles: 4 }, 'trainCycles is 4'],
  [{ ...options, simulation: { users: -1 } }, 'users is -1'],
])('options out of range are refused before anything is written', async (wrong, reason) => {
  await expect(simulate(wrong, join(folder, 'refused'))).rejects.toThrow(reason);
  expect(() => readFileSync(join(folder, 'refused', 'events.ndjson'))).toThrow('ENOENT');
});

test('a folder that cannot be created is reported as one error', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(simulate(options, join(folder, 'file', 'below'))).rejects.toMatchObject({
    code: 'FILE',
    message: expect.stringContaining('cannot write'),
  });
});

test('the truth file has rewards of served lists if lists cause interactions', async () => {
  const serving = { ...simulation, causedShare: 0.3, arms: 2 };
  const summary = await simulate({ ...options, simulation: serving }, join(folder, 'serving'));
  const truth = JSON.parse(readFileSync(summary.truth, 'utf8'));
  const same = new Simulation({ ...serving, durationMs: 4 * hour });
  expect(truth.intervals[0].rewards).toEqual(same.rewards(start));
  expect(truth.intervals[0].rewards.map(({ model }: { model: string }) => model)).toEqual([
    'personal',
    'blend',
    'popular',
  ]);
});
