import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type DatasetName,
  type ImportOptions,
  importDataset,
} from '../../../src/commands/import/import.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faults-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const RATINGS = 'userId,movieId,rating,timestamp\n1,2,3.5,100\n';
const BANDIT = ',timestamp,item_id,position,click,propensity_score\n';
const IMPRESSION = '0,2019-11-24 00:01:03.979311+00:00,2,2,0,0.045525\n';

function put(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

test.each<[DatasetName, Record<string, string>, string]>([
  [
    'movielens',
    { 'ratings.csv': `${RATINGS}1,3,4.0\n` },
    'ratings.csv: row 3 has 3 cells, expected 4',
  ],
  ['movielens', { 'ratings.csv': `${RATINGS}1,3,good,7\n` }, 'ratings.csv:3: rating is "good"'],
  ['movielens', { 'ratings.csv': `${RATINGS}1,3,NaN,7\n` }, 'ratings.csv:3: rating is "NaN"'],
  ['movielens', { 'ratings.csv': `${RATINGS},3,4,7\n` }, 'ratings.csv:3: userId is empty'],
  [
    'movielens',
    { 'ratings.csv': `${RATINGS}1,3,4,7.5\n` },
    'ratings.csv:3: timestamp is not a whole',
  ],
  [
    'movielens',
    { 'ratings.csv': `${RATINGS}1,2,4,7\n` },
    'ratings.csv:3: user 1 rated movie 2 twice',
  ],
  ['movielens', { 'ratings.csv': 'user,movieId\n' }, 'ratings.csv:1: there is no column userId'],
  ['movielens', { 'ratings.csv': '' }, 'ratings.csv: it is empty'],
  ['movielens', { 'ratings.csv': RATINGS.split('\n')[0] }, 'ratings.csv: there are no ratings'],
  ['movielens', {}, 'ratings.csv: no such file'],
  ['coat', { 'train.ascii': '0 1\n0 6\n' }, 'train.ascii:2: number 2 is "6", expected 0 to 5'],
  ['coat', { 'train.ascii': '0 1\n0\n' }, 'train.ascii:2: 1 numbers, expected 2'],
  ['coat', { 'train.ascii': '0 1\n' }, 'test.ascii: no such file'],
  ['coat', { 'train.ascii': '0 1\n', 'test.ascii': '0 1 2\n' }, 'test.ascii is 1 × 3, but'],
  ['open-bandit', { 'bts/men.csv': BANDIT + IMPRESSION }, 'random/men.csv: no such file; put it'],
  [
    'open-bandit',
    { 'random/all/all.csv': BANDIT },
    'bts/all.csv: no such file; put it there or in',
  ],
  ['open-bandit', {}, 'bts/men.csv: no such file; put it there or in'],
  [
    'open-bandit',
    { 'bts/men.csv': BANDIT.replace('position,', ''), 'random/men.csv': BANDIT },
    'men.csv:1: there is no column position; give the file as it is published',
  ],
  [
    'open-bandit',
    {
      'bts/men.csv': BANDIT + IMPRESSION,
      'random/men.csv': `${BANDIT}${IMPRESSION.replace(',2,2,', ',2,4,')}`,
    },
    'men.csv:2: position is "4", expected a number from 1 to 3',
  ],
  [
    'open-bandit',
    {
      'bts/men.csv': BANDIT + IMPRESSION,
      'random/men.csv': `${BANDIT}${IMPRESSION.replace(',2,2,', ',2,1.5,')}`,
    },
    'men.csv:2: position is not a whole number',
  ],
  [
    'open-bandit',
    { 'bts/men.csv': BANDIT + IMPRESSION, 'random/men.csv': `${BANDIT}0,soon,2,2,0,0.5\n` },
    'men.csv:2: timestamp is "soon"',
  ],
  [
    'open-bandit',
    {
      'bts/men.csv': BANDIT + IMPRESSION,
      'random/men.csv': BANDIT + IMPRESSION.replace('0.045525', '0'),
    },
    'men.csv:2: propensity_score is 0',
  ],
])(
  '%s with the files %j fails naming file and line, and leaves no file behind',
  async (name, files, reason) => {
    put(files);
    const before = readdirSync(folder);
    const wanted = importDataset(name, folder, { out: join(folder, 'out.ndjson') });
    await expect(wanted).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining(reason),
    });
    expect(readdirSync(folder)).toEqual(before);
  },
);

test.each<[DatasetName, Partial<ImportOptions>, string]>([
  ['coat', { split: 'time' }, 'coat has no split time, expected given'],
  ['coat', { ratio: 0.5 }, '--ratio has no effect'],
  ['movielens', { split: 'given' }, 'movielens has no split given, expected time, hash'],
  ['movielens', { ratio: 1 }, 'ratio is 1'],
  ['movielens', { seed: 3 }, '--seed has an effect only with --split hash'],
  ['movielens', { split: 'hash', seed: 0.5 }, 'seed is 0.5'],
  ['movielens', { listLength: 0 }, 'list length is 0'],
  ['coat', { campaign: 'men' }, 'coat has no campaigns'],
  ['open-bandit', { campaign: 'kids' as 'men' }, 'unknown campaign kids, expected all, men, women'],
  ['netflix' as DatasetName, {}, 'unknown data set netflix, expected coat, movielens'],
])('%s with the options %j is refused', async (name, options, reason) => {
  put({ 'ratings.csv': RATINGS });
  const wanted = importDataset(name, folder, { out: join(folder, 'out.ndjson'), ...options });
  await expect(wanted).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(reason),
  });
});

test('an error far down in the first file is reported before one in the second', async () => {
  const late = `${BANDIT}${IMPRESSION.repeat(10_000)}${IMPRESSION.replace('0.045525', '0')}`;
  put({ 'bts/men.csv': late, 'random/men.csv': BANDIT });
  const wanted = importDataset('open-bandit', folder, { out: join(folder, 'out.ndjson') });
  await expect(wanted).rejects.toThrow('bts/men.csv:10002: propensity_score is 0');
});

test('the train part cannot go to the same file as the events', async () => {
  const out = join(folder, 'out.ndjson');
  for (const trainOut of [out, `${folder}/../${basename(folder)}/./out.ndjson`]) {
    await expect(importDataset('movielens', folder, { out, trainOut })).rejects.toThrow(
      'cannot both go to',
    );
  }
});

test('the smallest complete files are imported', async () => {
  put({ 'train.ascii': '0 1\n', 'test.ascii': '5 0\n', 'ratings.csv': RATINGS });
  put({ 'bts/men.csv': BANDIT + IMPRESSION, 'random/men.csv': BANDIT + IMPRESSION });
  const out = join(folder, 'out.ndjson');
  expect(await importDataset('coat', folder, { out })).toEqual({ train: 1, events: 3 });
  expect(await importDataset('movielens', folder, { out })).toEqual({ train: 0, events: 1 });
  expect(await importDataset('open-bandit', folder, { out })).toEqual({ train: 0, events: 7 });
});
