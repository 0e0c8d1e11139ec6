import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { doctor } from '../../../../src/commands/doctor/doctor.js';
import { validateFiles } from '../../../../src/commands/files/validate.js';
import { loadConfig } from '../../../../src/config.js';
import type { Mapping } from '../../../../src/events/mapping/mapping.js';
import { writeBoth } from '../../../support/parquet-file.js';
import { quietIo } from '../../../support/quiet-io.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-doctor-tables-'));
});
afterAll(() => rm(folder, { recursive: true }));

const T = 1_767_225_600_000;

it('doctor writes a configuration that reads every row of a Parquet file', async () => {
  const lists = Array.from({ length: 30 }, (_, n) => ({
    uuid: `l${n}`,
    event: 'list_served',
    at: new Date(T + n),
    user_id: n % 7,
    ranker: 'm',
    products: [{ sku: 1 }, { sku: 2 }],
  }));
  const clicks = Array.from({ length: 40 }, (_, n) => ({
    uuid: `c${n}`,
    event: 'click',
    at: new Date(T + 50 + n),
    user_id: n % 7,
    sku: 1,
    request_id: `l${n % 30}`,
  }));
  const path = join(folder, 'log');
  await writeBoth(path, [...lists, ...clicks], {
    uuid: 'VARCHAR',
    event: 'VARCHAR',
    at: 'TIMESTAMP',
    user_id: 'BIGINT',
    ranker: 'VARCHAR',
    products: 'STRUCT(sku BIGINT)[]',
    sku: 'BIGINT',
    request_id: 'VARCHAR',
  });
  const out = join(folder, 'found.yaml');
  const told: string[] = [];
  const io = { ...quietIo, stdout: (text: string) => void told.push(text) };
  const config = loadConfig({ file: undefined, env: {} });
  await doctor({ config, topics: [], files: [`${path}.parquet`], sample: 200, out }, io);
  const text = told.join('');
  expect(text).toMatch(/holds +lists and interactions/);
  expect(text).toMatch(/lists +30, of 2 items/);
  expect(text).toContain(
    '100 % of the interactions give a list id; 40 of these 40 lists are in the sample',
  );
  expect(text).not.toContain('would be wrong');
  const { events } = parse(await readFile(out, 'utf8')) as { events: { mapping: Mapping } };
  const counts = await validateFiles([`${path}.parquet`], events, () => {});
  expect(counts).toMatchObject({ exposures: 30, interactions: 40, faulty: 0 });
});

it('doctor writes a configuration that reads every row of a CSV file', async () => {
  const at = (n: number) => new Date(T + n).toISOString();
  const lists = Array.from({ length: 30 }, (_, n) =>
    [`l${n}`, 'list_served', at(n), n % 7, 'm', '"[{""sku"":1},{""sku"":2}]"', '', ''].join(),
  );
  const clicks = Array.from({ length: 40 }, (_, n) =>
    [`c${n}`, 'click', at(50 + n), n % 7, '', '', n % 2, `l${n % 30}`].join(),
  );
  const names = 'uuid,event,at,user_id,ranker,products,sku,request_id';
  const path = join(folder, 'log.csv');
  await writeFile(path, `${[names, ...lists, ...clicks].join('\r\n')}\r\n`);
  const out = join(folder, 'cells.yaml');
  const told: string[] = [];
  const io = { ...quietIo, stdout: (text: string) => void told.push(text) };
  const config = loadConfig({ file: undefined, env: {} });
  await doctor({ config, topics: [], files: [path], sample: 200, out }, io);
  const text = told.join('');
  expect(text).toMatch(/lists +30, of 2 items/);
  expect(text).toContain(
    '100 % of the interactions give a list id; 40 of these 40 lists are in the sample',
  );
  const { events } = parse(await readFile(out, 'utf8')) as { events: { mapping: Mapping } };
  const counts = await validateFiles([path], events, () => {});
  expect(counts).toMatchObject({ exposures: 30, interactions: 40, faulty: 0 });
});

it('doctor rejects a Parquet file that does not exist', async () => {
  const config = loadConfig({ file: undefined, env: {} });
  const files = [join(folder, 'none.parquet')];
  await expect(
    doctor({ config, topics: [], files, sample: 200, out: undefined }, quietIo),
  ).rejects.toMatchObject({ code: 'FILE' });
});
