import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { KINDS } from '../../../src/commands/train/train-options.js';
import { userKnnScores } from '../../oracle/learning.js';
import { run } from '../cli/fake-io.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-train-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Users × items; users and items are named so that their order is not that of the file. */
const MATRIX = [
  [5, 0, 1, 0, 2],
  [4, 1, 0, 5, 0],
  [0, 2, 5, 0, 1],
  [5, 1, 0, 4, 0],
];
const START = Date.UTC(2024, 0, 1);

function rating(user: number, item: number, value: number, more: object = {}): object {
  const names = { user: `u${user}`, item: `i${item}` };
  const id = `x${user}-${item}-${JSON.stringify(more)}`;
  return { type: 'interaction', id, ts: START + user, ...names, value, ...more };
}

function ratings(matrix: readonly (readonly number[])[], more: object = {}): object[] {
  return matrix.flatMap((row, user) =>
    row.flatMap((value, item) => (value === 0 ? [] : [rating(user, item, value, more)])),
  );
}

function written(name: string, events: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return path;
}

function train(...flags: string[]) {
  return run(['train', '--out', join(folder, 'lists.ndjson'), ...flags], BODIES);
}

interface List {
  readonly user: string;
  readonly model: string;
  readonly ts: number;
  readonly shown: boolean;
  readonly candidates: number;
  readonly items: string[];
  readonly scores: number[];
}

function lists(name = 'lists.ndjson'): List[] {
  const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as List);
}

/** Flags that make a kind learn from so little. */
const SMALL: Readonly<Record<string, readonly string[]>> = {
  ials: ['--factors', '2'],
  mf: ['--factors', '2', '--lambda', '0.1'],
  'mf-ips': ['--factors', '2', '--lambda', '0.1', '--propensities', 'nb'],
};
const RANDOM = ratings([[1, 2, 5, 4, 3]], { randomized: true });

it('train --keep-rated also ranks rated items, and the others in the same order', async () => {
  const events = written('ratings.ndjson', ratings(MATRIX));
  const flags = ['--kind', 'user-knn', '--events', events];
  await train(...flags);
  const without = lists();
  await train(...flags, '--keep-rated');
  const all = lists();
  expect(all).toHaveLength(without.length);
  for (const [n, { user, items, candidates }] of all.entries()) {
    expect([...items].sort()).toEqual(['i0', 'i1', 'i2', 'i3', 'i4']);
    expect(candidates).toBe(5);
    const rated = MATRIX[Number(user.slice(1))].flatMap((value, i) => (value > 0 ? [`i${i}`] : []));
    expect(items.filter((item) => !rated.includes(item))).toEqual(without[n].items);
  }
});

describe.each(KINDS)('train --kind %s', (kind) => {
  const flags = ['--kind', kind, ...(SMALL[kind] ?? [])];

  it('writes lists of unrated items, best first, that evaluate accepts', async () => {
    const events = written('events.ndjson', [...ratings(MATRIX), ...RANDOM]);
    const { code, stderr, stdout } = await train(...flags, events);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('lists.ndjson: 4 lists');
    for (const list of lists()) {
      const user = Number(list.user.slice(1));
      const unrated = MATRIX[user].flatMap((value, item) => (value === 0 ? [`i${item}`] : []));
      expect(list.items.toSorted()).toEqual(unrated);
      expect(list).toMatchObject({ model: kind, shown: false, candidates: unrated.length });
      expect(list.scores.toSorted((a, b) => b - a)).toEqual(list.scores);
      expect(list.ts).toBe(START + 3);
    }
    const later = written('later.ndjson', [rating(0, 3, 5, { ts: START + 60_000 })]);
    const evaluated = await run(
      ['evaluate', '--events', join(folder, 'lists.ndjson'), later, '--json'],
      BODIES,
    );
    expect(evaluated.code).toBe(0);
    const found = JSON.parse(evaluated.stdout).results.map(({ model }: List) => model);
    expect(found).toContain(kind);
  });

  it('gives the same bytes from its model file and for any order of events', async () => {
    const all = [...ratings(MATRIX), ...RANDOM];
    const events = written('events.ndjson', all);
    const model = join(folder, 'model.ndjson');
    await train(...flags, '--model-out', model, events);
    const first = readFileSync(join(folder, 'lists.ndjson'), 'utf8');
    expect((await train('--model', model, events)).stderr).toBe('');
    expect(readFileSync(join(folder, 'lists.ndjson'), 'utf8')).toBe(first);
    const before = readFileSync(model, 'utf8');
    const backwards = written('backwards.ndjson', all.toReversed());
    await train(...flags, '--model-out', model, backwards);
    expect(readFileSync(join(folder, 'lists.ndjson'), 'utf8')).toBe(first);
    expect(readFileSync(model, 'utf8')).toBe(before);
  });
});

describe('train', () => {
  it('scores by the newest rating of a user and an item', async () => {
    const older = rating(0, 0, 1, { id: 'older', ts: START - 5 });
    const events = written('events.ndjson', [...ratings(MATRIX), older]);
    await train('--kind', 'user-knn', '--neighbours', '2', events);
    for (const { user, items, scores } of lists()) {
      const expected = userKnnScores(MATRIX, Number(user.slice(1)), 2);
      expect(scores).toEqual(items.map((item) => expected[Number(item.slice(1))]));
    }
  });

  it('does not learn from views or randomised traffic', async () => {
    const views = ratings([[0, 1, 0, 1, 0]], { action: 'view' });
    const events = written('events.ndjson', [...ratings(MATRIX), ...views, ...RANDOM]);
    const { stdout } = await train('--kind', 'popularity', '--positive', '4', events);
    expect(stdout).toContain('12 ratings of 4 users and 5 items');
    expect(stdout).toContain('5 ratings of randomised traffic, not used for training');
    const scores = Object.fromEntries(
      lists().flatMap(({ items, scores: all }) => items.map((item, n) => [item, all[n]])),
    );
    expect(scores).toEqual({ i0: 3, i1: 0, i2: 1, i3: 2, i4: 0 });
  });

  it('chooses factors and lambda by cross-validation, and reports lambda at the edge', async () => {
    const random = (n: number) => ((n * 2654435761) % 1000) / 1000;
    const matrix = Array.from({ length: 8 }, (_, u) =>
      Array.from({ length: 8 }, (__, i) => (random(u * 8 + i + 1) < 0.2 ? 0 : 1 + ((u + i) % 5))),
    );
    const events = written('events.ndjson', ratings(matrix));
    const { stdout, stderr, code } = await train('--kind', 'mf', '--json', events);
    expect(code).toBe(0);
    const { fit, validation } = JSON.parse(stdout);
    expect(validation.points).toHaveLength(7);
    const errors = validation.points.map(({ error }: { error: number }) => error);
    expect(validation.best.error).toBe(Math.min(...errors));
    expect([fit.factors, fit.lambda]).toEqual([5, validation.best.lambda]);
    expect(stderr.includes('at the edge')).toBe(validation.isAtEdge);
  });

  it('weights ratings by their logged propensities', async () => {
    const list = (user: number, propensities: readonly number[]) => ({
      type: 'exposure',
      id: `e${user}`,
      ts: START,
      user: `u${user}`,
      model: 'shown',
      items: ['i0', 'i1', 'i2', 'i3', 'i4'],
      propensities,
    });
    const logged = MATRIX.flatMap((row, user) => [
      list(user, [0.5, 0.5, 0.25, 0.25, 0.5]),
      ...row.flatMap((value, item) =>
        value === 0 ? [] : [rating(user, item, value, { exposure: `e${user}` })],
      ),
    ]);
    const flags = ['--kind', 'mf-ips', '--factors', '0', '--lambda', '0.1', '--json'];
    const all = written('events.ndjson', logged);
    const { stdout } = await train(...flags, '--propensities', 'logged', all);
    // Of 12 ratings 4 are of items with P = ¼; 8 / ½ + 4 / ¼ = 32 of 20 pairs.
    expect(JSON.parse(stdout).fit.pairsCovered).toBeCloseTo(32 / 20, 6);
    const half = written('half.ndjson', [...logged, rating(2, 0, 3)]);
    const refused = await train(...flags, '--propensities', 'logged', half);
    expect(refused.stderr).toBe(
      'unskew: 1 of 13 ratings are not attributed to a list with propensities above 0\n',
    );
  });

  it('takes propensities from a file, and requires the same file with the model', async () => {
    const events = written('events.ndjson', [...ratings(MATRIX), ...RANDOM]);
    const made = async (name: string, smoothing: string) => {
      const path = join(folder, name);
      const flags = ['--kind', 'nb', '--smoothing', smoothing, '--out', path];
      const { stderr, code } = await run(['propensities', ...flags, events], BODIES);
      expect([code, stderr]).toEqual([0, expect.anything()]);
      return path;
    };
    const one = await made('one.json', '1');
    const two = await made('two.json', '2');
    const flags = ['--kind', 'mf-ips', '--factors', '2', '--lambda', '0.1'];
    await train(...flags, '--propensities', 'nb', events);
    const byEvents = readFileSync(join(folder, 'lists.ndjson'), 'utf8');
    const model = join(folder, 'model.ndjson');
    const learned = await train(...flags, '--propensities', one, '--model-out', model, events);
    expect(learned.stderr).toBe('');
    expect(readFileSync(join(folder, 'lists.ndjson'), 'utf8')).toBe(byEvents);
    expect((await train('--model', model, '--propensities', one, events)).stderr).toBe('');
    expect(readFileSync(join(folder, 'lists.ndjson'), 'utf8')).toBe(byEvents);
    for (const other of [[], ['--propensities', two]]) {
      expect((await train('--model', model, ...other, events)).stderr).toMatch(
        /trained with a propensity file of version .*: name this file with --propensities/,
      );
    }
    const stranger = written('stranger.ndjson', [...ratings(MATRIX), rating(0, 3, 2.5)]);
    expect((await train('--model', model, '--propensities', one, stranger)).stderr).toContain(
      'the propensity file lacks 1 of 13 ratings: learn it again',
    );
    await train('--kind', 'mf', ...SMALL['mf'], '--model-out', model, events);
    expect((await train('--model', model, '--propensities', one, events)).stderr).toContain(
      'would have no effect beside this --model',
    );
  });

  it('scores users that are newer than the model, on items that it knows', async () => {
    const model = join(folder, 'model.ndjson');
    const events = written('events.ndjson', ratings(MATRIX));
    await train('--kind', 'item-knn', '--model-out', model, events);
    const later = written('later.ndjson', [
      ...ratings([[], [], [], [], [5, 0, 0, 0, 0]]),
      rating(4, 9, 3),
    ]);
    const { stdout, code } = await train('--model', model, later, '--name', 'nightly');
    expect(code).toBe(0);
    expect(stdout).toContain('1 ratings on items that the model does not know');
    expect(lists().map(({ user, model: name, items }) => [user, name, items.length])).toEqual([
      ['u4', 'nightly', 4],
    ]);
    const strangers = written('strangers.ndjson', [rating(5, 8, 3)]);
    expect((await train('--model', model, strangers)).stderr).toContain(
      'the model knows none of the rated items',
    );
  });

  it.each([
    ['no rating', [], ['--kind', 'mf'], /no valid events in/],
    ['one user', ratings([[1, 2]]), ['--kind', 'mf'], /all ratings are from one user/],
    ['one item', ratings([[1], [2]]), ['--kind', 'ials'], /all ratings are on one item/],
    [
      'more factors than users',
      ratings(MATRIX),
      ['--kind', 'mf', '--factors', '9', '--lambda', '1'],
      /9 factors for 4 users and 5 items/,
    ],
    [
      'a fit that does not converge',
      ratings(MATRIX),
      ['--kind', 'mf', '--factors', '2', '--lambda', '0.001', '--sweeps', '1'],
      /did not converge within 1 sweeps: raise --sweeps or --lambda/,
    ],
    [
      'propensities without randomised ratings',
      ratings(MATRIX),
      ['--kind', 'mf-ips', '--propensities', 'nb'],
      /needs ratings from randomised traffic/,
    ],
    ['mf-ips without propensities', ratings(MATRIX), ['--kind', 'mf-ips'], /needs --propensities/],
    ['neither kind nor model', ratings(MATRIX), [], /either --kind/],
    [
      'a flag of another kind',
      ratings(MATRIX),
      ['--kind', 'mf', '--alpha', '1'],
      /--alpha would have no effect beside mf/,
    ],
    [
      'no positive',
      ratings(MATRIX),
      ['--kind', 'ials', '--positive', '9'],
      /no rating is positive/,
    ],
  ])('is refused in one line for %s, and the old lists stay', async (_, events, flags, message) => {
    const old = join(folder, 'lists.ndjson');
    writeFileSync(old, 'old\n');
    const { code, stderr } = await train(...flags, written('events.ndjson', events));
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(old, 'utf8')).toBe('old\n');
    expect(readdirSync(folder).toSorted()).toEqual(['events.ndjson', 'lists.ndjson']);
  });

  it('does not overwrite the events that it reads', async () => {
    const events = written('lists.ndjson', ratings(MATRIX));
    const { code, stderr } = await train('--kind', 'popularity', events);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('is named for two outputs, and one would overwrite the other'),
    ]);
  });

  it('ends without output if it is interrupted', async () => {
    const events = written('events.ndjson', ratings(MATRIX));
    const out = join(folder, 'lists.ndjson');
    const argv = ['train', '--kind', 'mf', '--out', out, events];
    const { code, stderr } = await run(argv, BODIES, {}, AbortSignal.abort());
    expect([code, stderr]).toEqual([1, 'unskew: interrupted\n']);
    expect(readdirSync(folder)).toEqual(['events.ndjson']);
  });
});

describe('a model file', () => {
  it.each([
    ['has another schema', () => '{"schema":"unskew/other@1"}\n', /it is not a model/],
    ['is empty', () => '', /the file is empty/],
    [
      'was cut short',
      (text: string) => text.split('\n').slice(0, 4).join('\n'),
      /it was cut short/,
    ],
    [
      'has a malformed line',
      (text: string) => text.replace('"offset":', '"other":').replace(/"factors":\[/, '"x":['),
      /line|malformed/,
    ],
    [
      'has an item with the wrong number of factors',
      (text: string) => text.replace(/"factors":\[[^,\]]+,/, '"factors":['),
      /item 0 has 1 factors, not 2/,
    ],
  ])('that %s is refused', async (_, changed, message) => {
    const model = join(folder, 'model.ndjson');
    const events = written('events.ndjson', ratings(MATRIX));
    await train('--kind', 'mf', ...SMALL['mf'], '--model-out', model, events);
    writeFileSync(model, changed(readFileSync(model, 'utf8')));
    const { code, stderr } = await train('--model', model, events);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
