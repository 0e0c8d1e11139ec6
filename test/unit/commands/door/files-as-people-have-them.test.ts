import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { duckdb, writeQuery } from '../../../support/parquet-file.js';
import { run as runWith } from '../../cli/fake-io.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-door-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (argv: readonly string[]) => runWith(argv, BODIES);

const START = Date.UTC(2026, 2, 1);
const USERS = 20;

interface Shop {
  readonly lists: readonly Record<string, unknown>[];
  readonly clicks: readonly Record<string, unknown>[];
}

/**
 * 20 users with one list of five items each; three of four take the second item, the others the fifth. So
 * of the clicks 15 of 20 lie in the first three places: recall at 3 is .75 without any correction.
 */
function shop(): Shop {
  const users = Array.from({ length: USERS }, (_, n) => n);
  return {
    lists: users.map((n) => ({
      type: 'exposure',
      id: `l${n}`,
      ts: START + n * 60_000,
      user: `u${n}`,
      model: 'm',
      items: [11, 12, 13, 14, 15].map(String),
    })),
    clicks: users.map((n) => ({
      type: 'interaction',
      id: `c${n}`,
      ts: START + n * 60_000 + 5000,
      user: `u${n}`,
      item: n % 4 === 3 ? '15' : '12',
    })),
  };
}

const jsonLines = (rows: readonly object[]) =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function file(name: string, text: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const RECALL = [
  '--metrics',
  'recall',
  '--k',
  '3',
  '--estimators',
  'naive',
  '--baseline',
  'none',
  // Count interactions driven by lists too: these tests correct nothing.
  '--set',
  'estimates.feedback=ignore',
  '--json',
];

interface Found {
  readonly recall: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly readings: readonly string[];
}

async function evaluated(files: readonly string[], ...flags: readonly string[]): Promise<Found> {
  const { stdout, stderr, code } = await run(['evaluate', ...files, ...RECALL, ...flags]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { results, counts, findings } = JSON.parse(stdout) as {
    results: { model: string; aggregation: string; value: number }[];
    counts: Record<string, number>;
    findings: { code: string; reason?: string; severity: string }[];
  };
  const pooled = results.filter(({ aggregation }) => aggregation === 'pooled');
  return {
    recall: Object.fromEntries(pooled.map(({ model, value }) => [model, value])),
    counts,
    readings: findings.flatMap(({ code, reason, severity }) =>
      code === 'read_as' ? [`${severity} ${reason}`] : [],
    ),
  };
}

const validated = async (path: string, ...flags: readonly string[]) =>
  (await run(['validate', path, ...flags])).stdout.trim().split('\n');

const HEAD = 'type,id,ts,user,model,items,item,value';
const csvRow = (row: Record<string, unknown>, items: string) =>
  [row['type'], row['id'], row['ts'], row['user'], row['model'] ?? '', items, row['item'] ?? '', '']
    .map((cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell))
    .join(',');
const csvOf = (list: string) => {
  const { lists, clicks } = shop();
  const rows = [...lists.map((row) => csvRow(row, list)), ...clicks.map((row) => csvRow(row, ''))];
  return `${HEAD}\n${rows.join('\n')}\n`;
};

describe('events without ids', () => {
  it('are kept apart by their position in the file, in NDJSON, CSV and Parquet', async () => {
    const { lists, clicks } = shop();
    const bare = [...lists, ...clicks].map(({ id: _, ...row }) => row);
    const lines = await file('bare.ndjson', jsonLines(bare));
    const csv = csvOf('11|12|13|14|15').replace(/,[lc]\d+,/g, ',,');
    const parquet = join(folder, 'bare.parquet');
    await writeQuery(parquet, `select * from read_json('${lines}')`);
    for (const path of [lines, await file('bare.csv', csv), parquet]) {
      expect((await evaluated([path])).recall).toEqual({ m: 0.75 });
      expect((await validated(path)).at(-1)).toContain('20 exposures, 20 interactions, 0 invalid');
    }
  });
});

describe('cells that hold a list', () => {
  it.each([
    ['vertical bars', '11|12|13|14|15'],
    ['numpy', '[11 12 13 14 15]'],
    ['numpy over two lines', '[11 12 13\n 14 15]'],
    ['numpy floats', '[11. 12. 13. 14. 15.]'],
    ['numpy strings', "['11' '12' '13' '14' '15']"],
    ['numpy 2', '[np.int64(11), np.int64(12), np.int64(13), np.int64(14), np.int64(15)]'],
    ['an object array of numpy', "array(['11', '12', '13', '14', '15'], dtype=object)"],
    ['Postgres', '{11,12,13,14,15}'],
    ['Postgres with quotes', '{"11","12",13,14,15}'],
    ['pandas', "['11', '12', '13', '14', '15']"],
    ['pandas floats', '[11.0, 12.0, 13.0, 14.0, 15.0]'],
  ])('are read in the notation of %s', async (_, cell) => {
    expect((await evaluated([await file('list.csv', csvOf(cell))])).recall).toEqual({ m: 0.75 });
  });

  it.each(['[11 12 ... 14 15]', '11, 12, 13', '11 12 13', '[red shoe]', '[[11, 12], [13]]'])(
    'are rejected with an example of an accepted form: %s',
    async (cell) => {
      const [first] = await validated(await file('odd.csv', csvOf(cell)));
      expect(first).toContain('wrong_type: items: expected a list of up to 10000 item ids, as [');
    },
  );
});

describe('text tables', () => {
  it.each([
    ['semicolons', 'semi.csv', ';'],
    ['tabs', 'tab.csv', '\t'],
    ['tabs in a .tsv file', 'named.tsv', '\t'],
    ['vertical bars', 'bar.csv', '|'],
  ])('may separate cells with %s', async (_, name, mark) => {
    const text = csvOf('[11 12 13 14 15]').replaceAll(',', mark);
    expect((await evaluated([await file(name, text)])).recall).toEqual({ m: 0.75 });
  });

  it('may be compressed with gzip or Zstandard, whatever the extension', async () => {
    const text = csvOf('11|12|13|14|15');
    // A frame with one uncompressed block: magic, a single segment of known size, a block header.
    const size = Buffer.alloc(4);
    size.writeUInt32LE(text.length);
    const block = Buffer.alloc(3);
    block.writeUIntLE((text.length << 3) | 1, 0, 3);
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]);
    const frame = Buffer.concat([head, size, block, Buffer.from(text)]);
    for (const path of [
      await file('z.csv.zst', frame),
      await file('z.csv', frame),
      await file('g.csv', gzipSync(text)),
    ]) {
      expect((await evaluated([path])).recall).toEqual({ m: 0.75 });
    }
  });
});

describe('ids', () => {
  it('written as whole floats are read as integers, with a caution for CSV', async () => {
    const { lists, clicks } = shop();
    const rows = [
      ...lists.map((row, n) => csvRow({ ...row, user: n }, '11|12|13|14|15')),
      ...clicks.map((row, n) => csvRow({ ...row, user: `${n}.0`, item: `${row['item']}.0` }, '')),
    ];
    const csv = await file('floats.csv', `${HEAD}\n${rows.join('\n')}\n`);
    const found = await evaluated([csv]);
    expect(found.recall).toEqual({ m: 0.75 });
    expect(found.counts['users']).toBe(USERS);
    expect(found.readings).toEqual(['caution whole_float']);
    const listFile = await file(
      'lists.ndjson',
      jsonLines(lists.map((row, n) => ({ ...row, user: n }))),
    );
    for (const type of ['double', 'decimal(20,0)']) {
      const parquet = join(folder, 'floats.parquet');
      const columns = `type, id, ts, "user"::${type} as "user", item::${type} as item`;
      const given = `read_csv('${csv}', types={'user': 'double', 'item': 'double'})`;
      await writeQuery(parquet, `select ${columns} from ${given} where type = 'interaction'`);
      expect((await evaluated([listFile, parquet])).recall).toEqual({ m: 0.75 });
    }
  });

  it('that are fractions are rejected, and the message shows them', async () => {
    const { clicks } = shop();
    const path = await file('half.ndjson', jsonLines([{ ...clicks[0], user: 5.5 }]));
    expect((await validated(path))[0]).toContain(
      'user: expected text or a whole number, found 5.5',
    );
  });

  it('of items that differ between lists and clicks end evaluate with an error', async () => {
    const { lists, clicks } = shop();
    const other = clicks.map((row) => ({ ...row, item: `sku-${row['item']}` }));
    const path = await file('other.ndjson', jsonLines([...lists, ...other]));
    const { code, stderr } = await run(['evaluate', path]);
    expect(code).toBe(2);
    expect(stderr).toContain('no item of the interactions occurs in any list');
    expect((await validated(path)).join('\n')).toContain('no item of the interactions occurs');
  });
});

it('user ids that differ between lists and clicks give a warning', async () => {
  const { lists, clicks } = shop();
  const other = clicks.map((row) => ({ ...row, user: String(row['user']).toUpperCase() }));
  const path = await file('users.ndjson', jsonLines([...lists, ...other]));
  const { stderr } = await run(['evaluate', path, ...RECALL]);
  expect(stderr).toContain('warning: no user of the interactions has a list');
  const looked = await run(['doctor', '--files', path]);
  expect({ code: looked.code, stderr: looked.stderr }).toEqual({
    code: 1,
    stderr:
      'unskew: not ready: no user of the interactions has a list. Check that both use the same user ids\n',
  });
});

describe('times', () => {
  const withTimes = (of: (ts: number) => unknown) => {
    const { lists, clicks } = shop();
    return jsonLines([...lists, ...clicks].map((row) => ({ ...row, ts: of(row['ts'] as number) })));
  };
  it.each([
    ['in seconds', (ts: number) => ts / 1000, ['caution seconds']],
    [
      'with a space',
      (ts: number) => new Date(ts).toISOString().replace('T', ' ').replace('Z', '+00:00'),
      [],
    ],
    ['with no zone', (ts: number) => new Date(ts).toISOString().slice(0, 19), ['caution no_zone']],
  ])('are read %s', async (_, of, readings) => {
    const found = await evaluated([await file('times.ndjson', withTimes(of))]);
    expect(found).toMatchObject({ recall: { m: 0.75 }, readings });
  });

  it('that lie years apart for lists and clicks are reported by validate', async () => {
    const { lists, clicks } = shop();
    const old = clicks.map((row) => ({ ...row, ts: (row['ts'] as number) - 5 * 365 * 86_400_000 }));
    const path = await file('apart.ndjson', jsonLines([...lists, ...old]));
    expect((await validated(path)).join('\n')).toContain(
      'lists are from 2026-03-01 and interactions from 2021-03-02. Check the unit of their times',
    );
  });
});

describe('a null value', () => {
  it('is not positive where others of its action have values, and gives a caution', async () => {
    const { lists, clicks } = shop();
    // The users who took the fifth item have no value: all 15 that are left lie in the first three.
    const valued = clicks.map((row) => ({ ...row, value: row['item'] === '15' ? null : 1 }));
    const lines = await file('nulls.ndjson', jsonLines([...lists, ...valued]));
    const rows = [
      ...lists.map((row) => csvRow(row, '11|12|13|14|15')),
      ...valued.map((row) => csvRow(row, '').replace(/$/, row.value === null ? 'nan' : '1')),
    ];
    const csv = await file('nulls.csv', `${HEAD}\n${rows.join('\n')}\n`);
    const parquet = join(folder, 'nulls.parquet');
    await writeQuery(parquet, `select * from read_json('${lines}')`);
    for (const path of [lines, csv, parquet]) {
      const found = await evaluated([path]);
      expect(found.counts).toMatchObject({ interactions: 20, positives: 15 });
      expect(found.recall).toEqual({ m: 1 });
      expect(found.readings).toContain('caution no_value');
    }
  });

  it('is positive for an action that has no values at all', async () => {
    const { lists, clicks } = shop();
    const rows = clicks.map((row, n) => ({
      ...row,
      action: n === 0 ? 'rate' : 'click',
      value: n === 0 ? 5 : null,
    }));
    const path = await file('actions.ndjson', jsonLines([...lists, ...rows]));
    expect((await evaluated([path])).counts).toMatchObject({ positives: 20 });
  });
});

describe('lists', () => {
  it('without items replace the previous list of the user', async () => {
    const { lists, clicks } = shop();
    const empty = lists.slice(0, 10).map((row) => ({
      ...row,
      id: `empty ${row['id']}`,
      ts: (row['ts'] as number) + 1000,
      items: [],
    }));
    const path = await file('empty.ndjson', jsonLines([...lists, ...empty, ...clicks]));
    // Of the last ten users those whose number is 3 modulo 4 took the fifth item: 11, 15 and 19.
    expect((await evaluated([path])).recall).toEqual({ m: 7 / 20 });
  });

  it('that repeat an item keep its first position, with a caution', async () => {
    const { lists, clicks } = shop();
    const twice = lists.map((row) => ({ ...row, items: ['11', '11', '12', '13', '14', '15'] }));
    const path = await file('twice.ndjson', jsonLines([...twice, ...clicks]));
    const found = await evaluated([path]);
    expect(found).toMatchObject({ recall: { m: 0.75 }, readings: ['caution repeated_item'] });
  });

  it('are required: without any, evaluate exits with 1', async () => {
    const path = await file('clicks.ndjson', jsonLines(shop().clicks));
    const { code, stderr } = await run(['evaluate', path]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'unskew: no list was read, so there is nothing to compare\n',
    });
  });
});

describe('one row per item', () => {
  const mapping = JSON.stringify({
    'shown*': {
      impression: {
        ts: '/time',
        user: '/user',
        item: '/item',
        model: '/variant',
        list: '/request',
        place: '/position',
      },
    },
    'taken*': { interaction: { ts: '/time', user: '/user', item: '/item', exposure: '/request' } },
  });

  it('becomes lists in NDJSON, CSV and Parquet, with one mapping per file', async () => {
    const { lists, clicks } = shop();
    const shown = lists.flatMap((row, n) =>
      // In reverse, so that only the position gives the right order.
      [5, 4, 3, 2, 1].map((position) => ({
        time: new Date(row['ts'] as number).toISOString(),
        user: row['user'],
        variant: 'm',
        request: n,
        position,
        item: 10 + position,
      })),
    );
    const taken = clicks.map((row, n) => ({
      time: new Date(row['ts'] as number).toISOString(),
      user: row['user'],
      item: Number(row['item']),
      request: `${n}.0`,
    }));
    const shownLines = await file('shown.ndjson', jsonLines(shown));
    const takenLines = await file(
      'taken.ndjson',
      jsonLines(taken.map((row, n) => ({ ...row, request: n }))),
    );
    const csv = (rows: readonly object[]) =>
      [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]
        .map((row) => row.join())
        .join('\n');
    const tables = [await file('shown.csv', csv(shown)), await file('taken.csv', csv(taken))];
    const parquet = ['shown', 'taken'].map((name) => join(folder, `${name}.parquet`));
    await writeQuery(parquet[0]!, `select * from read_csv('${tables[0]}')`);
    await writeQuery(
      parquet[1]!,
      `select * replace (request::double as request) from read_csv('${tables[1]}')`,
    );
    for (const files of [[shownLines, takenLines], tables, parquet]) {
      const { recall, counts } = await evaluated(files, '--set', `events.files=${mapping}`);
      expect(recall).toEqual({ m: 0.75 });
      expect(counts).toMatchObject({ interactions: 20, faults: 0 });
    }
  });
});

describe('a row that holds a list and its interaction', () => {
  it('is read as both in NDJSON, CSV and Parquet', async () => {
    const { lists } = shop();
    const rows = lists.map(({ ts, user }, n) => ({
      nr: n,
      ts,
      user,
      shown: '12',
      taken: n % 4 === 3 ? 0 : 1,
    }));
    const mapping = JSON.stringify({
      exposure: { id: '/nr', ts: '/ts', user: '/user', model: { constant: 'm' }, items: '/shown' },
      interaction: { ts: '/ts', user: '/user', item: '/shown', value: '/taken', exposure: '/nr' },
    });
    const lines = await file('both.ndjson', jsonLines(rows));
    const csv = await file(
      'both.csv',
      `nr,ts,user,shown,taken\n${rows.map((row) => Object.values(row).join()).join('\n')}`,
    );
    const parquet = join(folder, 'both.parquet');
    await writeQuery(parquet, `select * from read_json('${lines}')`);
    for (const path of [lines, csv, parquet]) {
      const { counts } = await evaluated([path], '--mapping', mapping);
      expect(counts).toMatchObject({ interactions: 20, positives: 15, faults: 0 });
      expect((await validated(path, '--mapping', mapping)).at(-1)).toContain(
        '20 exposures, 20 interactions, 0 invalid',
      );
    }
  });
});

describe('dimensions', () => {
  it('are read from columns of the same name in CSV and Parquet', async () => {
    const { lists, clicks } = shop();
    const rows = [...lists, ...clicks].map((row, n) => ({
      ...row,
      device: n % 2 === 0 ? 'tv' : 'web',
    }));
    const lines = await file('device.ndjson', jsonLines(rows));
    const parquet = join(folder, 'device.parquet');
    await writeQuery(parquet, `select * from read_json('${lines}')`);
    const csv = join(folder, 'device.csv');
    await (await duckdb()).run(`copy (select * from '${parquet}') to '${csv}' (header)`);
    for (const path of [parquet, csv]) {
      const config = await file(
        'segments.yaml',
        'segments: { dimensions: { device: interaction } }\n',
      );
      const { stdout, stderr } = await run(['evaluate', path, ...RECALL, '--config', config]);
      expect(stderr).toBe('');
      const { segments } = JSON.parse(stdout) as { segments?: unknown };
      const names = JSON.stringify(segments);
      expect(names).toContain('"tv"');
      expect(names).toContain('"web"');
    }
  });
});

it('the same events give byte-identical JSON from NDJSON, Parquet, CSV and TSV', async () => {
  const { lists, clicks } = shop();
  const lines = await file('forms.ndjson', jsonLines([...lists, ...clicks]));
  const parquet = join(folder, 'forms.parquet');
  await writeQuery(parquet, `select * from read_json('${lines}')`);
  const engine = await duckdb();
  const csv = join(folder, 'forms.csv');
  const tsv = join(folder, 'forms.tsv');
  await engine.run(`copy (select * from '${parquet}') to '${csv}' (header)`);
  await engine.run(`copy (select * from '${parquet}') to '${tsv}' (header, delimiter '\t')`);
  const given = await run(['evaluate', lines, '--json']);
  expect(given.code).toBe(0);
  for (const path of [parquet, csv, tsv]) {
    expect((await run(['evaluate', path, '--json'])).stdout).toBe(given.stdout);
  }
});

describe('decisions of a contextual bandit', () => {
  /** The mean reward per list, and the notes of `evaluate` on how it read the file. */
  async function earned(records: readonly object[]) {
    const path = await file('bandit.dsjson', jsonLines(records));
    expect(await validated(path, '--mapping', 'dsjson')).toEqual(
      expect.not.arrayContaining([expect.stringContaining('error')]),
    );
    const argv = ['evaluate', path, '--mapping', 'dsjson'];
    const text = await run(argv);
    const { stdout, code } = await run([...argv, '--json']);
    expect([text.code, code]).toEqual([0, 0]);
    const { onPolicy, findings } = JSON.parse(stdout);
    const { value } = onPolicy.values[0];
    // Valued by request, as it is known for each what the bandit would show.
    const interval = /\(([-−]?[\d.]+) to ([-−]?[\d.]+)\)/.exec(text.stdout)!.slice(1);
    expect(text.stdout).toMatch(new RegExp(`^ +m +${value.toFixed(2)} `, 'm'));
    const readings = findings
      .filter(({ code: found }: { code: string }) => found === 'read_as')
      .map(({ reason }: { reason: string }) => reason);
    return { value: value as number, interval, readings };
  }

  const decision = (n: number, cost: number, more: object = {}) => ({
    _label_cost: cost,
    _label_probability: 0.5,
    Timestamp: new Date(START + n * 60_000).toISOString(),
    EventId: `e${n}`,
    a: [1 + (n % 3), 1 + ((n + 1) % 3), 1 + ((n + 2) % 3)],
    p: [0.5, 0.25, 0.25],
    VWState: { m: 'm' },
    ...more,
  });

  it('have minus their cost as reward, including fractions', async () => {
    const costs = [-0.5, -0.25, 0, -0.75];
    const records = Array.from({ length: 40 }, (_, n) => decision(n, costs[n % 4]!));
    expect(await earned(records)).toMatchObject({
      value: expect.closeTo((0.5 + 0.25 + 0.75) / 4, 12),
      readings: [],
    });
  });

  it('count a positive cost as a negative reward, in value and interval', async () => {
    const costs = [-1, -1, 2, -1];
    const records = Array.from({ length: 40 }, (_, n) => decision(n, costs[n % 4]!));
    const { value, interval } = await earned(records);
    expect(value).toBeCloseTo((1 + 1 - 2 + 1) / 4, 12);
    // About V ± 2.02 s / √40, s² = 1.73, which holds 0.
    expect(interval.map((limit) => Number(limit.replace('−', '-')))).toEqual([
      expect.closeTo(value - 0.42, 1),
      expect.closeTo(value + 0.42, 1),
    ]);
  });

  it('may have times without a zone, which gives a finding', async () => {
    const records = Array.from({ length: 80 }, (_, n) => {
      const Timestamp = new Date(START + n * 60_000).toISOString().replace('Z', '7275');
      return decision(n, n % 2 === 0 ? -1 : 0, { Timestamp });
    });
    expect(await earned(records)).toMatchObject({
      value: expect.closeTo(0.5, 12),
      readings: ['no_zone'],
    });
  });

  it('may fill several slots, which become the positions of one list', async () => {
    const records = Array.from({ length: 80 }, (_, n) => ({
      Timestamp: new Date(START + n * 60_000).toISOString(),
      EventId: `s${n}`,
      VWState: { m: 'm' },
      _outcomes: [
        { _label_cost: n % 4 === 0 ? -1 : 0, _id: 'top', _a: [1, 0], _p: [0.7, 0.3] },
        { _label_cost: n % 2 === 0 ? -1 : 0, _id: 'side', _a: [2, 3], _p: [0.6, 0.4] },
      ],
    }));
    expect((await earned(records)).value).toBeCloseTo(0.25 + 0.5, 12);
  });
});
