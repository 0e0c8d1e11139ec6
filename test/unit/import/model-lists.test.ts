import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { needsData, publishedData } from '../../support/published-data.js';
import { repetitions } from '../../support/repetitions.js';
import { run } from '../cli/fake-io.js';
import { type Event, type Exposure, isExposure, isInTimeOrder, isInteraction } from './imported.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-model-lists-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

function eventsOf(name: string): Event[] {
  const lines = readFileSync(at(name), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Event);
}

const listsOf = (name: string, model: string) =>
  eventsOf(name)
    .filter(isExposure)
    .filter((list) => list.model === model);

/** @returns standard error; fails unless the command ends with the code */
async function unskew(code: number, ...args: string[]): Promise<string> {
  const ended = await run(args, BODIES);
  expect(ended.code, ended.stderr).toBe(code);
  return ended.stderr;
}

const MOVIELENS = ['import', 'movielens'];
const DAY = 86_400;

/** Four users who rate two of ten films a day, for six days; then one comes who is new. */
function rate(): void {
  const rows = Array.from({ length: 48 }, (_, n) => {
    const user = n % 4;
    const day = Math.floor(n / 8);
    const film = (3 * user + 5 * n + Math.floor(n / 4)) % 10;
    return { key: `${user},${film}`, row: `${user},${film},${1 + ((n * 7) % 5)},${day * DAY + n}` };
  });
  const once = rows.filter(({ key }, n) => rows.findIndex((other) => other.key === key) === n);
  const late = `9,1,5.0,${7 * DAY}`;
  const lines = ['userId,movieId,rating,timestamp', ...once.map(({ row }) => row), late];
  writeFileSync(at('ratings.csv'), lines.join('\n'));
}

async function learned(kind: string, ...flags: string[]): Promise<string> {
  await unskew(
    0,
    ...MOVIELENS,
    folder,
    '--train-out',
    at('train.ndjson'),
    '--out',
    at('all.ndjson'),
  );
  const files = ['--events', at('train.ndjson'), '--out', at('lists.ndjson')];
  const path = at(`${kind}-model.ndjson`);
  await unskew(0, 'train', '--kind', kind, ...flags, ...files, '--model-out', path);
  return path;
}

const FACTORS = ['--factors', '2', '--lambda', '0.01'];

describe('import with trained models', () => {
  it.each([
    ['mf', FACTORS],
    ['user-knn', []],
    ['item-knn', []],
    ['ials', ['--factors', '2']],
  ])('gives the lists of %s that train --model writes from earlier events', async (kind, flags) => {
    rate();
    const model = await learned(kind, ...flags);
    const out = ['--train-out', at('train.ndjson'), '--out', at('held.ndjson')];
    await unskew(0, ...MOVIELENS, folder, ...out, '--model', model, '--list-length', '4');
    const held = eventsOf('held.ndjson');
    const past = eventsOf('train.ndjson').filter(isInteraction);
    const lists = listsOf('held.ndjson', kind);
    expect(isInTimeOrder(held)).toBe(true);
    expect(lists.length).toBeGreaterThan(3);
    const through = Math.max(...eventsOf('train.ndjson').map(({ ts }) => ts));
    const compared = lists.filter((_, n) => n % repetitions(4, 1) === 0);
    for (const { user, ts, items, scores, candidates, shown } of compared) {
      expect(ts).toBeGreaterThan(through);
      const before = [...past, ...held.filter(isInteraction)].filter((each) => each.ts < ts);
      writeFileSync(at('before.ndjson'), before.map((each) => JSON.stringify(each)).join('\n'));
      const files = ['--events', at('before.ndjson'), '--out', at('slow.ndjson')];
      await unskew(0, 'train', '--model', model, ...files, '--list-length', '4');
      const slow = listsOf('slow.ndjson', kind).find((list) => list.user === user);
      expect({ items, scores, candidates, shown }).toEqual({
        items: slow!.items,
        scores: slow!.scores,
        candidates: slow!.candidates,
        shown: false,
      });
    }
    // Nothing is known of one who has rated nothing.
    expect(lists.map((list: Exposure) => list.user)).not.toContain('9');
    expect(listsOf('held.ndjson', 'popularity').some((list) => list.user === '9')).toBe(true);
  });

  it('leaves all other events as they are', async () => {
    rate();
    const model = await learned('mf', ...FACTORS);
    const out = ['--train-out', at('train.ndjson'), '--out', at('with.ndjson')];
    await unskew(0, ...MOVIELENS, folder, ...out, '--model', model);
    const others = eventsOf('with.ndjson').filter(
      (event) => !isExposure(event) || event.model !== 'mf',
    );
    expect(others).toEqual(eventsOf('all.ndjson'));
  });

  it('requires the file of propensities that mf-ips was trained with', async () => {
    rate();
    await learned('popularity');
    const random = Array.from({ length: 10 }, (_, n) => ({
      type: 'interaction',
      id: `r${n}`,
      ts: n,
      user: `${n % 4}`,
      item: `${n}`,
      value: 1 + (n % 5),
      randomized: true,
    }));
    writeFileSync(at('random.ndjson'), random.map((each) => JSON.stringify(each)).join('\n'));
    const nb = ['propensities', '--kind', 'nb', '--events', at('train.ndjson')];
    await unskew(0, ...nb, '--randomized', at('random.ndjson'), '--out', at('nb.json'));
    const two = [...nb, '--smoothing', '2', '--randomized', at('random.ndjson')];
    await unskew(0, ...two, '--out', at('other.json'));
    const model = await learned('mf-ips', ...FACTORS, '--propensities', at('nb.json'));
    const out = ['--train-out', at('train.ndjson'), '--out', at('held.ndjson')];
    const call = [...MOVIELENS, folder, ...out, '--model', model];
    const named =
      /trained with a propensity file of version \w+: name this file with --propensities/;
    expect(await unskew(2, ...call)).toMatch(named);
    expect(await unskew(2, ...call, '--propensities', at('other.json'))).toMatch(named);
    await unskew(0, ...call, '--propensities', at('nb.json'));
    expect(listsOf('held.ndjson', 'mf-ips').length).toBeGreaterThan(3);
  });

  it('rejects models and options that would give no lists or wrong ones', async () => {
    rate();
    const model = await learned('mf', ...FACTORS);
    const held = ['--train-out', at('train.ndjson'), '--out', at('held.ndjson')];
    const call = [...MOVIELENS, folder, ...held, '--model'];
    expect(await unskew(2, ...call, model, model)).toMatch(/there is already a model named mf/);
    expect(await unskew(2, ...call, await learned('popularity'))).toMatch(
      /there is already a model named popularity/,
    );
    expect(await unskew(2, ...call, model, '--propensities', at('nb.json'))).toMatch(
      /propensities would have no effect/,
    );
    const undated = readFileSync(model, 'utf8').replace(/"learnedTo":\d+,/, '');
    writeFileSync(at('undated.ndjson'), undated);
    expect(await unskew(2, ...call, at('undated.ndjson'))).toMatch(/Train it again/);
    const logged = readFileSync(model, 'utf8').replace(
      /"propensities":\{[^}]*\}/,
      '"propensities":{"source":"logged"}',
    );
    writeFileSync(at('logged.ndjson'), logged);
    expect(await unskew(2, ...call, at('logged.ndjson'))).toMatch(/needs logged propensities/);
    const into = [...MOVIELENS, folder, '--out', model, '--model', model];
    expect(await unskew(2, ...into)).toMatch(/events would overwrite the model/);
    const bandit = ['import', 'open-bandit', folder, '--out', at('o.ndjson'), '--model', model];
    expect(await unskew(2, ...bandit)).toMatch(/open-bandit has no ratings of users/);
    // One that has seen all of the data set would rank what it knows.
    const all = ['--events', at('train.ndjson'), at('all.ndjson'), '--out', at('lists.ndjson')];
    const seen = ['--model-out', at('seen.ndjson')];
    await unskew(0, 'train', '--kind', 'mf', ...FACTORS, ...all, ...seen);
    const before = readFileSync(at('held.ndjson'), { flag: 'a+', encoding: 'utf8' });
    expect(await unskew(2, ...call, at('seen.ndjson'))).toMatch(
      /the model was trained on events up to 1970-01-08T00:00:00.000Z, and no later list/,
    );
    expect(readFileSync(at('held.ndjson'), 'utf8')).toBe(before);
  });
});

describe('Coat with a model trained on its train part', needsData('coat'), () => {
  it('has the same lists that train wrote', async () => {
    const coat = ['import', 'coat', publishedData('coat') as string];
    const out = ['--train-out', at('train.ndjson'), '--out', at('coat.ndjson')];
    await unskew(0, ...coat, ...out);
    const flags = ['--factors', '5', '--lambda', '0.001', '--sweeps', '400'];
    const files = [
      '--events',
      at('train.ndjson'),
      '--out',
      at('mf.ndjson'),
      '--list-length',
      '300',
    ];
    const model = ['--model-out', at('model.ndjson')];
    await unskew(0, 'train', '--kind', 'mf', ...flags, ...files, ...model);
    await unskew(0, ...coat, ...out, '--model', at('model.ndjson'));
    const what = ({ user, items, scores, candidates }: Exposure) => ({
      user,
      items,
      scores,
      candidates,
    });
    const lists = listsOf('coat.ndjson', 'mf');
    expect(lists).toHaveLength(290);
    expect(lists.map(what)).toEqual(listsOf('mf.ndjson', 'mf').map(what));
  });
});
