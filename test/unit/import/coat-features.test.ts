import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importDataset, writeCoatFeatures } from '../../../src/commands/import/import.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'unskew-coat-'));
  writeFileSync(join(dir, 'user_features_map.txt'), 'age:young\nage:old\n\n');
  writeFileSync(join(dir, 'item_features_map.txt'), 'color:red\n');
});
afterAll(() => rmSync(dir, { recursive: true }));

it('features are written with the id first, without blank lines', async () => {
  writeFileSync(join(dir, 'user_features.ascii'), '1 0 \n0 1\n');
  await writeCoatFeatures(dir, 'users', join(dir, 'users.csv'));
  expect(readFileSync(join(dir, 'users.csv'), 'utf8')).toBe(
    'id,age:young,age:old\nu0,1,0\nu1,0,1\n',
  );
});

it('a malformed line of features is named, and no table is left', async () => {
  writeFileSync(join(dir, 'item_features.ascii'), '1\n2\n');
  const written = writeCoatFeatures(dir, 'items', join(dir, 'items.csv'));
  await expect(written).rejects.toThrow('item_features.ascii:2: expected 1 times 0 or 1');
  expect(existsSync(join(dir, 'items.csv'))).toBe(false);
});

it('feature tables are rejected for a data set without features', async () => {
  const options = { out: join(dir, 'events.ndjson'), userFeatures: join(dir, 'u.csv') };
  await expect(importDataset('movielens', dir, options)).rejects.toThrow(
    'movielens has no features of users: leave their table out',
  );
});
