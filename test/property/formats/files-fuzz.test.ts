import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { validateFiles } from '../../../src/commands/files/validate.js';
import { UnskewError } from '../../../src/errors.js';
import { mappingNamed } from '../../../src/events/mapping/named-mappings.js';
import { generator } from '../../bench/decode.js';
import { mutated } from '../../support/mutation.js';
import { writeQuery } from '../../support/parquet-file.js';
import { repetitions } from '../../support/repetitions.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-files-fuzz-'));
});
afterAll(() => rm(folder, { recursive: true }));

const FILES = repetitions(300, 6000);
const T = 1_767_225_600_000;

const EVENTS = Array.from({ length: 12 }, (_, n) =>
  n % 2 === 0
    ? {
        type: 'exposure',
        id: `l${n}`,
        ts: T + n,
        user: `u${n}`,
        model: 'm',
        items: ['a', 'b', 'é'],
      }
    : { type: 'interaction', id: `c${n}`, ts: T + n, user: `u${n}`, item: 'a', value: n % 3 },
);
const LINES = EVENTS.map((event) => `${JSON.stringify(event)}\n`).join('');
const CELLS = `type,id,ts,user,model,items,item,value\n${EVENTS.map((event) => {
  const {
    type,
    id,
    ts,
    user,
    model = '',
    items = [],
    item = '',
    value = '',
  } = event as never as {
    [name: string]: string;
  } & { items?: string[] };
  const list = items.length === 0 ? '' : `"['${items.join("', '")}']"`;
  return [type, id, ts, user, model, list, item, value].join();
}).join('\n')}\n`;

it('damaged files are read or rejected in one line without growing memory', async () => {
  const source = join(folder, 'source.ndjson');
  await writeFile(source, LINES);
  const parquet = join(folder, 'source.parquet');
  await writeQuery(parquet, `select * from read_json('${source}')`);
  const zstd = join(folder, 'zstd.parquet');
  await writeQuery(zstd, `select * from read_json('${source}')`, ', codec zstd');
  const whole = [
    ['ndjson', Buffer.from(LINES)],
    ['ndjson.gz', gzipSync(LINES)],
    ['csv', Buffer.from(CELLS)],
    ['tsv', Buffer.from(CELLS.replaceAll(',', '\t'))],
    ['parquet', await readFile(parquet)],
    ['parquet', await readFile(zstd)],
    ['csv.zst', Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), Buffer.from(CELLS)])],
  ] as const;
  const mappings = [undefined, mappingNamed('obp'), mappingNamed('ubi'), mappingNamed('mind')];
  const random = generator(23);
  const before = process.memoryUsage().arrayBuffers;
  const seen = { read: 0, refused: 0 };
  for (let n = 0; n < FILES; n++) {
    const [end, bytes] = whole[n % whole.length]!;
    const path = join(folder, `damaged.${end}`);
    await writeFile(path, mutated(bytes, whole[(n * 5) % whole.length]![1], random));
    const mapping = mappings[n % 13 === 0 ? (n / 13) % mappings.length : 0];
    try {
      await validateFiles([path], mapping === undefined ? {} : { mapping }, () => {});
      seen.read++;
    } catch (error) {
      if (!(error instanceof UnskewError)) throw new Error(`file ${n}, ${end}`, { cause: error });
      expect(error.message).not.toContain('\n');
      seen.refused++;
    }
  }
  expect(seen.read).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(256 * 2 ** 20);
});
