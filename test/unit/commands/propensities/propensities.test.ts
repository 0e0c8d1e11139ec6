import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import {
  type PropensityContent,
  readPropensities,
  type StoredPropensities,
  stamped,
} from '../../../../src/commands/propensities/stored-propensities.js';
import { learnedPropensities } from '../../../../src/estimators/propensity/learned-propensities.js';
import { run } from '../../cli/fake-io.js';
import { chanceOf, itemOf, userOf, writeWorld } from './world.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-propensities-'));
  writeWorld(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const unskew = (...argv: string[]) => run(['propensities', ...argv], BODIES);
const TABLES = () => ['--user-features', at('users.csv'), '--item-features', at('items.ndjson')];
const NB = () => ['--kind', 'nb', '--randomized', at('random.ndjson')];

async function learned(...argv: string[]): Promise<StoredPropensities> {
  const { code, stderr, stdout } = await unskew('--out', at('p.json'), '--json', ...argv);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(at('p.json'), 'utf8')));
  return await readPropensities(at('p.json'));
}

describe('propensities --kind lr', () => {
  it('recovers the propensities of the simulated ratings', async () => {
    const lr = ['--kind', 'lr', ...TABLES(), '--l2', '1'];
    const { model, figures } = await learned(at('chosen.ndjson'), ...lr);
    const { propensity, ...of } = asked(model);
    let squares = 0;
    for (let user = 0; user < 60; user++) {
      for (let item = 0; item < 40; item++) {
        const p = propensity(of.user(userOf(user)), of.item(itemOf(item)));
        squares += (p - chanceOf(user, item)) ** 2;
      }
    }
    // Shares of 300 and 2,100 pairs have standard errors of .03 and .008.
    expect(Math.sqrt(squares / 2400)).toBeLessThan(0.035);
    expect(Math.abs(figures.weights.inversePropensity - 1)).toBeLessThan(0.05);
    expect(figures.fit!.validation.scores[0].logLikelihood).toBeGreaterThan(
      figures.fit!.validation.constant,
    );
  });

  it('matches the number of ratings of each user and item with offsets', async () => {
    const { figures, model } = await learned(at('chosen.ndjson'), '--kind', 'lr', '--l2', '1');
    const { total, users, items } = figures.fit!.margins;
    expect(Math.max(Math.abs(total), users, items)).toBeLessThan(1e-4);
    expect(figures.fit!.reliability).toHaveLength(10);
    if (model.kind !== 'lr') expect.fail('it is a regression');
    const rated = readFileSync(at('chosen.ndjson'), 'utf8');
    model.items.ids.forEach((id, item) => {
      expect(model.itemSums![item]).toBeCloseTo(rated.split(`"item":"${id}"`).length - 1, 3);
    });
  });

  it('picks the ridge penalty that predicts best, whatever the order of events', async () => {
    const lr = ['--kind', 'lr', ...TABLES(), '--l2', '1000,10', '--folds', '3'];
    const one = await learned(at('chosen.ndjson'), ...lr);
    const { scores } = one.figures.fit!.validation;
    const [large, small] = scores.map(({ logLikelihood }) => logLikelihood);
    expect(one.model).toMatchObject({ l2: small > large ? 10 : 1000 });
    expect(await learned(at('reversed.ndjson'), ...lr)).toEqual(one);
    const other = await learned(at('reversed.ndjson'), ...lr, '--seed', '2');
    expect(other.version).not.toBe(one.version);
  });

  it('estimates for all pairs even if it samples negatives', async () => {
    const lr = ['--kind', 'lr', ...TABLES(), '--l2', '1'];
    const { figures } = await learned(at('chosen.ndjson'), ...lr, '--negatives', '0.5');
    expect(Math.abs(figures.weights.inversePropensity - 1)).toBeLessThan(0.1);
    const pairs = figures.fit!.reliability.reduce((sum, bin) => sum + bin.pairs, 0);
    expect(Math.abs(pairs / 2400 - 1)).toBeLessThan(0.05);
  });
});

describe('propensities --kind nb', () => {
  it('matches the mean random rating, from a file or from marked events', async () => {
    const named = await learned(at('chosen.ndjson'), ...NB(), '--smoothing', '0');
    expect(named.figures.weights.inversePropensity).toBeCloseTo(1, 12);
    expect(named.figures.meanRating.weighted).toBeCloseTo(
      named.figures.meanRating.random!.value,
      12,
    );
    const marked = ['--events', at('chosen.ndjson'), at('marked.ndjson'), '--kind', 'nb'];
    expect(await learned(...marked, '--smoothing', '0')).toEqual(named);
  });

  it('says whether logistic regression agrees', async () => {
    const { figures } = await learned(at('chosen.ndjson'), ...NB(), ...TABLES(), '--l2', '1');
    expect(figures.comparison).toMatchObject({ with: 'lr' });
    const { stdout } = await unskew(
      at('chosen.ndjson'),
      ...NB(),
      ...TABLES(),
      '--out',
      at('q.json'),
    );
    expect(stdout).toMatch(
      /Naive Bayes and logistic regression (dis)?agree|give mean ratings that/,
    );
    expect(stdout).toContain('add up to the number of pairs by construction');
  });
});

describe('propensities that cannot be learned or read', () => {
  const refused = async (message: string, ...argv: string[]) => {
    writeFileSync(at('p.json'), 'of before');
    const { code, stderr } = await unskew('--out', at('p.json'), ...argv);
    expect(code, stderr).toBeGreaterThan(0);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(at('p.json'), 'utf8')).toBe('of before');
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  };
  const table = (text: string, name = 'users.csv') => {
    writeFileSync(at(name), text);
    return ['--kind', 'lr', at('chosen.ndjson'), ...TABLES()];
  };

  it('report in one line what is wrong with a table, and keep the old file', async () => {
    await refused(
      'users.csv: there is no row for "u01" and 58 other users',
      ...table('id,a\nu00,1\n'),
    );
    await refused('users.csv:3: "u00" is there twice', ...table('id,a\nu00,1\nu00,2\n'));
    await refused('users.csv:2: a is empty', ...table('id,a\nu00,\n'));
    await refused('users.csv:2: 3 fields, expected 2', ...table('id,a\nu00,1,2\n'));
    await refused('users.csv: the table is empty', ...table('id,a\n'));
    await refused('users.csv: the table has no column other than the id', ...table('id\nu00\n'));
    await refused('users.csv:2: a quoted field has no closing quote', ...table('id,a\nu00,"x\n'));
    const same = Array.from({ length: 60 }, (_, user) => `${userOf(user)},7`).join('\n');
    await refused('users.csv: a is "7" in every row', ...table(`id,a\n${same}\n`));
    const names = Array.from({ length: 101 }, (_, user) => `${userOf(user)},n${user}`).join('\n');
    await refused(
      'a has 101 different texts, more than the 100 allowed',
      ...table(`id,a\n${names}\n`),
    );
    writeWorld(folder);
    await refused('items.ndjson:1: not JSON', ...table('{', 'items.ndjson'));
    await refused('items.ndjson:1: id is missing', ...table('{"red":1}', 'items.ndjson'));
    const lacking = '{"id":"i00","red":1}\n{"id":"i01"}';
    await refused('items.ndjson:2: red is missing', ...table(lacking, 'items.ndjson'));
    const more = '{"id":"i00","red":1}\n{"id":"i01","red":1,"blue":2}';
    await refused('items.ndjson:2: the first line has no blue', ...table(more, 'items.ndjson'));
  });

  it('report that a regression has no single solution, or does not converge', async () => {
    const lr = ['--kind', 'lr', at('chosen.ndjson'), ...TABLES(), '--l2', '0'];
    await refused('no unique solution, because features are collinear', ...lr);
    const certain = Array.from({ length: 60 }, (_, u) => `${userOf(u)},${Number(u >= 30)}`);
    writeFileSync(at('users.csv'), `id,late\n${certain.join('\n')}\n`);
    const events = readFileSync(at('chosen.ndjson'), 'utf8').split('\n');
    const early = events.filter((line) => /"user":"u[0-2]/.test(line)).join('\n');
    writeFileSync(at('early.ndjson'), `${early}\n`);
    const only = ['--kind', 'lr', at('early.ndjson'), '--user-features', at('users.csv')];
    await refused('the regression does not converge', ...only, '--l2', '0');
  });

  it('report missing inputs and options that have no effect', async () => {
    const chosen = at('chosen.ndjson');
    await refused('nb needs ratings of randomly drawn items', '--kind', 'nb', chosen);
    await refused(
      '--kind lr with --offsets none needs features',
      '--kind',
      'lr',
      chosen,
      '--offsets',
      'none',
    );
    await refused('--l2 has no effect with --kind nb', chosen, ...NB(), '--l2', '1');
    await refused(
      'there are no ratings to learn from: --randomized takes all files after it',
      ...NB(),
      chosen,
    );
    await refused('all ratings are from randomised traffic', '--kind', 'lr', at('marked.ndjson'));
    await refused('--negatives must be above 0', '--kind', 'lr', chosen, '--negatives', '0');
    const rare = ['--kind', 'nb', chosen, '--randomized', at('one.ndjson')];
    writeFileSync(at('one.ndjson'), readFileSync(at('random.ndjson'), 'utf8').split('\n')[0]);
    await refused(
      'so the propensity of this rating is unknown: give --smoothing',
      ...rare,
      '--smoothing',
      '0',
    );
  });

  it('are not read from a forged file that is inconsistent', async () => {
    const { schema: _, version: __, ...lr } = await learned(at('chosen.ndjson'), '--kind', 'lr');
    const nb = await learned(at('chosen.ndjson'), ...NB());
    if (lr.model.kind !== 'lr' || nb.model.kind !== 'nb') expect.fail('of other kinds');
    const forged = async (content: object, message: string) => {
      const made = stamped({ ...lr, ...content } as PropensityContent);
      writeFileSync(at('forged.json'), JSON.stringify(made));
      await expect(readPropensities(at('forged.json'))).rejects.toThrow(message);
    };
    const { users, items, itemSums } = lr.model;
    const model = (own: object) => ({ model: { ...lr.model, ...own } });
    await forged(model({ users: { ...users, offsets: [0] } }), 'offsets of users do not fit');
    await forged(model({ items: { ...items, features: [] } }), 'features of items do not fit');
    await forged(model({ itemSums: itemSums!.slice(1) }), '40 items have 39 sums');
    await forged(model({ weights: [[1], [1, 2]] }), 'rows of several lengths');
    await forged(model({ intercept: null }), 'its content is malformed');
    await forged({ kind: 'nb' }, 'its kind is nb, but its model is of kind lr');
    await forged({ date: 'yesterday' }, 'its date is not a date');
    const values = nb.model.values.map((row) => ({ ...row, propensity: 0 }));
    await forged({ kind: 'nb', model: { ...nb.model, values } }, 'but their propensity is 0');
  });

  it('are not read from a file that is changed, missing or of another kind', async () => {
    await learned(at('chosen.ndjson'), ...NB());
    const text = readFileSync(at('p.json'), 'utf8');
    writeFileSync(at('changed.json'), text.replace('"smoothing":1', '"smoothing":2'));
    await expect(readPropensities(at('changed.json'))).rejects.toThrow(
      'it was changed or cut short',
    );
    // The same content in another layout is accepted.
    writeFileSync(at('spaced.json'), JSON.stringify(JSON.parse(text), null, 2));
    expect(await readPropensities(at('spaced.json'))).toEqual(await readPropensities(at('p.json')));
    writeFileSync(at('other.json'), '{"schema":"unskew/set@1"}');
    await expect(readPropensities(at('other.json'))).rejects.toThrow('not a file of `unskew prop');
    await expect(readPropensities(at('users.csv'))).rejects.toThrow('not a file of `unskew prop');
    expect(existsSync(at('none.json'))).toBe(false);
    await expect(readPropensities(at('none.json'))).rejects.toThrow('none.json');
  });
});

function asked(model: StoredPropensities['model']) {
  const learned = learnedPropensities(model);
  return {
    user: (id: string) => learned.userOf(id),
    item: (id: string) => learned.itemOf(id),
    propensity: (user: number, item: number) => learned.propensity(user, item, 1),
  };
}
