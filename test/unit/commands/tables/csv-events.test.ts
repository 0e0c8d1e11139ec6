import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateFiles } from '../../../../src/commands/files/validate.js';
import { encodeEvent } from '../../../../src/events/encode.js';
import type { Mapping } from '../../../../src/events/mapping/mapping.js';
import { duckdb, EVENT_COLUMNS, writeBoth } from '../../../support/parquet-file.js';
import { aSpoiledLog, DECODER, readAll } from '../../../support/read-events.js';
import { repetitions } from '../../../support/repetitions.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-csv-'));
});
afterAll(() => rm(folder, { recursive: true }));

const written = async (name: string, text: string | Uint8Array) => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};

/** Drop empty values: an empty cell of CSV is a missing value. */
function withoutEmpty(event: object): object {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== ''));
}

describe('a CSV file and the same events as NDJSON', () => {
  it('give the same rows, ids and invalid events, with native or JSON lists', async () => {
    let n = 0;
    const aForm = fc.constantFrom('*', '* replace (to_json(items) as items)');
    await fc.assert(
      fc.asyncProperty(aSpoiledLog, aForm, async (log, form) => {
        const path = join(folder, `log${n++}`);
        await writeBoth(path, log.map(withoutEmpty), EVENT_COLUMNS);
        const query = `select ${form} from '${path}.parquet'`;
        await (await duckdb()).run(`copy (${query}) to '${path}.csv' (header)`);
        const lines = await readAll(`${path}.ndjson`);
        const moved = lines.told.map((fault) =>
          fault.replace(/\d+/, (row) => `${Number(row) + 1}`),
        );
        // Row numbers are one higher, as the first row holds the names.
        expect(await readAll(`${path}.csv`)).toEqual({ ...lines, told: moved });
      }),
      { numRuns: repetitions(15, 500) },
    );
  });
});

const EXPOSURE = { type: 'exposure', id: 'e', ts: 5, user: 'u', model: 'm' } as const;

describe('CSV cells', () => {
  const asLines = async (events: readonly (typeof EXPOSURE & { items: string[] })[]) =>
    readAll(await written('lines.ndjson', events.map((each) => encodeEvent(each)).join('\n')));

  it.each([
    ['text between bars', 'a|b'],
    ['JSON', '"[""a"",""b""]"'],
    ['JSON with spaces', '"[ ""a"" , ""b"" ]"'],
    ['Python', `"['a', 'b']"`],
    ['unquoted text in brackets', '"[a, b]"'],
  ])('may hold a list as %s', async (_, cell) => {
    const path = await written('list.csv', `id,ts,user,model,items\ne,5,u,m,${cell}\n`);
    expect(await readAll(path)).toEqual(await asLines([{ ...EXPOSURE, items: ['a', 'b'] }]));
  });

  it.each([
    ['a comma', '"u\\",'],
    ['space and a comma', '"u\\" ,'],
  ])('may end in a backslash before %s', async (_, cell) => {
    const path = await written('backslash.csv', `id,ts,user,model,items\ne,5,${cell}m,a|b\n`);
    const wanted = [{ ...EXPOSURE, user: 'u\\' as 'u', items: ['a', 'b'] }];
    expect(await readAll(path)).toEqual(await asLines(wanted));
  });

  it('may hold quotes, commas, line ends and other special characters', async () => {
    const items = [
      'a,b',
      "c'd",
      'e"f',
      'g\\h',
      '[i]',
      'j\nk',
      'NULL',
      ' l',
      '12345678901234567890',
    ];
    const path = join(folder, 'quotes');
    await writeBoth(path, [{ ...EXPOSURE, user: 'a"b,c\r\nd', items }], EVENT_COLUMNS);
    for (const form of ['*', '* replace (to_json(items) as items)']) {
      const query = `select ${form} from '${path}.parquet'`;
      await (await duckdb()).run(`copy (${query}) to '${path}.csv' (header)`);
      expect(await readAll(`${path}.csv`)).toEqual(await readAll(`${path}.ndjson`));
    }
  });

  it('are read with gzip, CR LF, a byte order mark and no last line end', async () => {
    const text = '\uFEFFid,ts,user,model,items\r\n"e",5,u,m,a\r\n\r\nf,6,u,m,b';
    const wanted = await asLines([
      { ...EXPOSURE, items: ['a'] },
      { ...EXPOSURE, id: 'f' as 'e', ts: 6 as 5, items: ['b'] },
    ]);
    expect(await readAll(await written('plain.csv', text))).toEqual(wanted);
    expect(await readAll(await written('packed.csv.gz', gzipSync(text)))).toEqual(wanted);
  });

  it('are read by a mapping, also within JSON structures', async () => {
    const mapping: Mapping = {
      tsUnit: 's',
      kind: { path: '/kind', values: { view: 'exposure', click: 'interaction' } },
      exposure: {
        id: '/nr',
        ts: '/at',
        user: '/who/id',
        model: { constant: 'm' },
        items: { path: '/shelf', each: '/sku' },
        randomized: { path: '/arm', map: { random: true, best: false } },
      },
      interaction: { id: '/nr', ts: '/at', user: '/who/id', item: '/sku', value: '/paid' },
    };
    const rows = [
      {
        kind: 'view',
        nr: 'e1',
        at: 7,
        who: { id: 'u' },
        shelf: [{ sku: 'a' }, { sku: 'b' }],
        arm: 'random',
      },
      { kind: 'click', nr: '007', at: 8, who: { id: 'u' }, sku: 'a', paid: 2.5 },
    ];
    const names = ['kind', 'nr', 'at', 'who', 'shelf', 'arm', 'sku', 'paid'];
    const cell = (value: unknown) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
      return `"${text.replaceAll('"', '""')}"`;
    };
    const table = rows.map((row) => names.map((name) => cell((row as never)[name])).join(','));
    const csv = await written('mapped.csv', [names.join(','), ...table].join('\n'));
    const lines = await written('mapped.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
    const decoder = { ...DECODER, mapping };
    const found = await readAll(csv, decoder);
    expect(found.rows).toHaveLength(2);
    expect(found).toEqual(await readAll(lines, decoder));
  });

  it('are read across many chunks of a file', async () => {
    const events = Array.from({ length: 14_000 }, (_, n) => ({
      ...EXPOSURE,
      id: `list ${n}`,
      ts: n,
      user: `u${n % 77}`,
      items: [`i${n % 13}`, `j${n % 17}`],
    }));
    const path = join(folder, 'long');
    await writeBoth(path, events, EVENT_COLUMNS);
    await (await duckdb()).run(`copy (from '${path}.parquet') to '${path}.csv' (header)`);
    expect((await stat(`${path}.csv`)).size).toBeGreaterThan(2 * 256 * 1024);
    const lines = await readAll(`${path}.ndjson`);
    expect(lines.rows).toHaveLength(events.length);
    expect(await readAll(`${path}.csv`)).toEqual(lines);
  });

  it('may come from the path of the file', async () => {
    const event = { ...EXPOSURE, items: ['a'] };
    await mkdir(join(folder, 'model=m'));
    const path = await written('model=m/part.csv', 'id,ts,user,items\ne,5,u,a\n');
    expect(await readAll(path)).toEqual(await asLines([event]));
  });
});

describe('an invalid CSV file', () => {
  const NAMES = 'id,ts,user,item\n';
  const SOUND = 'x,5,u,a\n';
  const refusal = async (text: string | Uint8Array, name = 'wrong.csv') => {
    const path = await written(name, text);
    const error = await readAll(path).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    return (error as Error).message.replaceAll(path, 'FILE');
  };

  it.each([
    ['an empty file', '', 'it is empty'],
    ['only blank lines', '\n\n', 'it is empty'],
    [
      'missing columns',
      'id,ts,user\n',
      'to be exposures, its rows lack model, items; to be interactions, its rows lack item; its columns are id, ts, user; to make a mapping: unskew doctor --files FILE --out unskew.yaml',
    ],
    ['two columns of the same name', 'id,ts,user,item,ts\n', 'it has two columns named "ts"'],
    ['a cell too few', `${NAMES}${SOUND}y,5,u\n`, 'row 3 has 3 cells, expected 4'],
    ['a cell too many', `${NAMES}y,5,u,a,b\n`, 'row 2 has 5 cells, expected 4'],
    ['an open quote', `${NAMES}${SOUND}"y,5,u,a\n`, 'row 3: a quoted cell has no closing quote'],
    [
      'text after a closing quote',
      `${NAMES}"y"z,5,u,a\n`,
      'row 2: there is text after a closing quote; double each quote within a cell (Spark: option("escape", "\\""))',
    ],
    [
      'a quote within an unquoted cell',
      `${NAMES}y"z,5,u,a\n`,
      'row 2: a cell contains a quote but does not begin with one',
    ],
    ['a huge row', `${NAMES}${'y'.repeat(2 ** 21)},5,u,a\n`, 'row 2 is longer than 1048576 bytes'],
    [
      'bytes that are not UTF-8',
      Buffer.from(`${NAMES}\xff,5,u,a\n`, 'latin1'),
      'it is not valid UTF-8 after byte 0: convert it, for example with iconv -f WINDOWS-1252 -t UTF-8',
    ],
    [
      'a truncated character',
      Buffer.from(`${NAMES}\xc3`, 'latin1'),
      'it is not valid UTF-8 after byte 17: convert it, for example with iconv -f WINDOWS-1252 -t UTF-8',
    ],
  ])('is refused in one line: %s', async (_, text, why) => {
    expect(await refusal(text)).toBe(`cannot read FILE: ${why}`);
  });

  it('is refused in one line if its gzip data is truncated', async () => {
    const packed = gzipSync(NAMES + SOUND.repeat(1000));
    expect(await refusal(packed.subarray(0, 40), 'cut.csv.gz')).toMatch(
      /^cannot read FILE: [^\n]+$/,
    );
  });

  it('with invalid cells is read, and validate reports their rows', async () => {
    const path = await written('faults.csv', `${NAMES}${SOUND}y,soon,u,a\nx,6,u,a\nz,7,,a\n`);
    const said: string[] = [];
    const counts = await validateFiles([path], {}, (line) => said.push(line.replace(path, 'FILE')));
    expect(counts).toMatchObject({ interactions: 1, faulty: 3 });
    expect(said.slice(0, 3)).toEqual([
      'FILE:3: bad_timestamp: ts: expected ms since the epoch or an ISO 8601 date-time, found the string "soon"',
      'FILE:4: repeated_id: an earlier event has the same id "x"',
      'FILE:5: missing_field: user: missing, expected a non-empty string',
    ]);
  });
});
