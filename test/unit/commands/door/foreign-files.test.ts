import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { writeQuery } from '../../../support/parquet-file.js';
import { IS_LONG } from '../../../support/repetitions.js';
import { run as runWith } from '../../cli/fake-io.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-door-foreign-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (argv: readonly string[]) => runWith(argv, BODIES);
const START = Date.UTC(2026, 4, 20);
const ITEMS = [21, 22, 23, 24];

/**
 * 24 users with one list of four items each. Users whose number is 5 modulo 6 take nothing, those
 * with 2 modulo 6 take the fourth item, the other 16 the first: 24 lists, 20 interactions, and of these
 * 16 lie in the first two places, so that recall at 2 is .8.
 */
const USERS = Array.from({ length: 24 }, (_, n) => n);
const lists = USERS.map((n) => ({ n, at: START + n * 60_000, request: `q${n}`, user: `u${n}` }));
const clicks = lists
  .filter(({ n }) => n % 6 !== 5)
  .map((list) => ({ ...list, at: list.at + 4000, item: list.n % 6 === 2 ? 24 : 21 }));

type Row = Readonly<Record<string, unknown>>;
const iso = (ms: number) => new Date(ms).toISOString();
const listRows = (time: (ms: number) => unknown = iso, items: unknown = ITEMS.join('|')): Row[] =>
  lists.map(({ at, request, user }) => ({
    request_id: request,
    timestamp: time(at),
    user_id: user,
    model: 'm',
    items,
  }));
const clickRows = (time: (ms: number) => unknown = iso): Row[] =>
  clicks.map(({ at, request, user, item }) => ({
    timestamp: time(at),
    user_id: user,
    item_id: item,
    request_id: request,
  }));
const mixedRows = (): Row[] => [
  ...listRows(iso, ITEMS.map(String)).map((row) => ({ event: 'impression', ...row })),
  ...clickRows().map((row) => ({ event: 'click', ...row })),
];

const quoted = (cell: unknown, between: string) => {
  const text = String(cell);
  return text.includes(between) || /["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const table = (rows: readonly Row[], between = ',', end = '\n') =>
  [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]
    .map((row) => row.map((cell) => quoted(cell, between)).join(between) + end)
    .join('');
const jsonLines = (rows: readonly object[]) =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

const RECALL = ['--metrics', 'recall', '--k', '2', '--estimators', 'naive', '--baseline', 'none'];
const UNCORRECTED = ['--set', 'estimates.feedback=ignore', '--json'];

interface Numbers {
  readonly counts: Readonly<Record<string, number>>;
  readonly results: readonly { model: string; aggregation: string; value: number }[];
}

function pooled({ results }: Numbers): readonly number[] {
  return results.filter(({ aggregation }) => aggregation === 'pooled').map(({ value }) => value);
}

/** The short run checks `replay` and `export`, which read the same way, on these files only. */
const READ_BY_ALL = ['spaced', 'envelope', 'properties', 'models'];

/** What commands read from files with the configuration that `doctor` writes for them. */
async function found(name: string, files: readonly string[]) {
  const config = join(folder, `${name}.yaml`);
  const looked = await run(['doctor', '--files', ...files, '--out', config]);
  expect({ code: looked.code, stderr: looked.stderr }).toEqual({ code: 0, stderr: '' });
  const by = ['--config', config];
  const validated = await run(['validate', ...files, ...by]);
  const { stdout } = await run(['evaluate', ...files, ...by, ...RECALL, ...UNCORRECTED]);
  const evaluated = JSON.parse(stdout) as Numbers;
  const { interactions, positives, faults } = evaluated.counts;
  const recall = pooled(evaluated);
  if (IS_LONG || READ_BY_ALL.includes(name)) {
    expect(await replayed(files, by)).toEqual({ interactions, recall });
    const exposures = Number(/(\d+) exposures/.exec(validated.stdout)![1]);
    const set = join(folder, `${name}.set`);
    expect(await exported(files, [...by, '--out', set])).toEqual({ exposures, interactions });
  }
  return {
    validated: validated.stdout.trim().split('\n').at(-1),
    interactions,
    positives,
    faults,
    recall,
    yaml: await readFile(config, 'utf8'),
    last: looked.stdout.trim().split('\n').at(-1),
  };
}

async function replayed(files: readonly string[], by: readonly string[]) {
  const windows = ['--tick', '1h', '--windows', '1d'];
  const { stdout } = await run(['replay', ...files, ...by, ...windows, ...RECALL, ...UNCORRECTED]);
  const newest = JSON.parse(stdout.trim().split('\n').at(-1)!) as Numbers;
  return { interactions: newest.counts['interactions'], recall: pooled(newest) };
}

async function exported(files: readonly string[], how: readonly string[]) {
  const { stdout } = await run(['export', '--events', ...files, ...how, '--json']);
  const { counts } = JSON.parse(stdout) as { counts: Row };
  return { exposures: counts['exposures'], interactions: counts['interactions'] };
}

/** The numbers derived in the comment above. */
const RIGHT = {
  interactions: 20,
  positives: 20,
  faults: 0,
  recall: [0.8],
};
const SOUND = expect.stringContaining('24 exposures, 20 interactions, 0 invalid');

describe('a spreadsheet export', () => {
  const isoTime = (ms: number) => iso(ms).slice(0, 19).replace('T', ' ');
  const asCsv = async (
    name: string,
    wrap: (text: string) => string | Uint8Array,
    between = ';',
  ) => [
    await file(`${name}/lists.csv`, wrap(table(listRows(isoTime), between, '\r\n'))),
    await file(`${name}/clicks.csv`, wrap(table(clickRows(isoTime), between, '\r\n'))),
  ];
  it.each<[string, (text: string) => string | Uint8Array, string]>([
    ['a byte order mark', (text) => `\uFEFF${text}`, ';'],
    ['UTF-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'), '\t'],
    ['UTF-16, big-endian', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), ','],
    ['a first line that names the separator', (text) => `sep=;\r\n${text}`, ';'],
  ])('is read with %s', async (name, wrap, between) => {
    const files = await asCsv(name.replaceAll(/\W/g, ''), wrap, between);
    expect(await found(name, files)).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it.each([
    ['day first', 'dmy', (d: string, m: string) => `${d}.${m}`],
    ['month first', 'mdy', (d: string, m: string) => `${m}.${d}`],
  ])('is read with dates that have the %s', async (name, unit, order) => {
    const written = (ms: number) => {
      const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(iso(ms))!;
      return `${order(day!, month!)}.${year} ${time}`;
    };
    const files = [
      await file(`${unit}/lists.csv`, table(listRows(written), ';')),
      await file(`${unit}/clicks.csv`, table(clickRows(written), ';')),
    ];
    const numbers = await found(name, files);
    expect(numbers).toMatchObject({ ...RIGHT, validated: SOUND });
    expect(numbers.yaml).toContain(`tsUnit: ${unit}`);
  });

  it('is refused if day and month are ambiguous', async () => {
    const written = (ms: number) => `03/04/2026 ${iso(ms).slice(11, 19)}`;
    const path = await file('unclear.csv', table(clickRows(written)));
    const { code, stderr } = await run(['doctor', '--files', path]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^unskew: not ready: [^\n]*\/timestamp holds "03\/04\/2026 [^\n]*tsUnit/,
    );
  });

  it('may have spaces around cells and column names', async () => {
    const spaced = (rows: readonly Row[]) => table(rows).replaceAll(',', ' , ');
    const files = [
      await file('spaced/lists.csv', spaced(listRows())),
      await file('spaced/clicks.csv', spaced(clickRows())),
    ];
    expect(await found('spaced', files)).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it.each([
    ['doubled', '""'],
    ['escaped by a backslash, as Spark writes them', '\\"'],
  ])('may have quotes within cells that are %s', async (name, quote) => {
    const items = JSON.stringify(ITEMS.map(String));
    const files = [
      await file(`${name}/lists.csv`, table(listRows(iso, items)).replaceAll('""', quote)),
      await file(`${name}/clicks.csv`, table(clickRows())),
    ];
    expect(await found(name, files)).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it('is refused if ids have lost digits', async () => {
    const rows = clickRows().map((row) => ({ ...row, user_id: '1.23457E+11' }));
    const path = await file('shortened.csv', table(rows));
    const { code, stderr } = await run(['doctor', '--files', path]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^unskew: not ready: [^\n]*shortened\.csv: row 2: a spreadsheet has rounded the id 1\.23457E\+11[^\n]*\n$/,
    );
  });

  it('may have decimal commas where semicolons separate cells', async () => {
    // The four who took the fourth item valued it .5, which is not positive.
    const rated = clickRows().map((row) => ({
      ...row,
      rating: row['item_id'] === 24 ? '0,5' : '4,0',
    }));
    const files = [
      await file('comma/lists.csv', table(listRows(), ';')),
      await file('comma/clicks.csv', table(rated, ';')),
    ];
    const numbers = await found('comma', files);
    expect(numbers).toMatchObject({ interactions: 20, positives: 16, faults: 0, recall: [1] });
  });
});

describe('JSON that is not one object per line', () => {
  it.each<[string, (rows: readonly object[]) => string]>([
    ['a list over many lines', (rows) => JSON.stringify(rows, null, 2)],
    ['a list on one line', (rows) => JSON.stringify(rows)],
    [
      'a list with one object per line',
      (rows) => `[${rows.map((row) => JSON.stringify(row)).join(',\n')}]`,
    ],
    [
      'objects without anything between them',
      (rows) => rows.map((row) => JSON.stringify(row)).join(''),
    ],
    [
      'objects over many lines',
      (rows) => rows.map((row) => JSON.stringify(row, null, 1)).join('\n'),
    ],
    ['lines behind a byte order mark', (rows) => `\uFEFF${jsonLines(rows)}`],
    ['NaN, as Python writes it', (rows) => jsonLines(rows).replaceAll('}\n', ',"score":NaN}\n')],
  ])('is read correctly: %s', async (name, write) => {
    // Text that looks like the end of an object, and like NaN, is text.
    const rows = mixedRows().map((row) => ({ ...row, title: 'a "}{" [NaN], \\' }));
    const path = await file(`${name.replaceAll(/\W/g, '')}.json`, write(rows));
    expect(await found(name, [path])).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it('is refused if one object wraps all events, with the path to them', async () => {
    const hits = mixedRows().map((row, n) => ({ _id: String(n), _source: row }));
    const path = await file('hits.json', JSON.stringify({ took: 1, hits: { hits } }, null, 1));
    const { code, stderr } = await run(['doctor', '--files', path]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `unskew: not ready: ${path}: it is one object that contains 44 others; extract them (jq -c '.hits.hits[]')\n`,
    });
  });

  it('is refused if ids are numbers of more than 15 digits', async () => {
    const rows = mixedRows().map((row, n) => ({ ...row, user_id: 2 ** 60 + n * 1024 }));
    const { code, stderr } = await run([
      'doctor',
      '--files',
      await file('big.json', jsonLines(rows)),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'expected text, because JSON numbers of more than 15 digits are not exact',
    );
  });
});

describe('times', () => {
  it.each<[string, (ms: number) => unknown]>([
    [
      'a space and UTC, as BigQuery writes them',
      (ms) => iso(ms).replace('T', ' ').replace('Z', ' UTC'),
    ],
    ['microseconds', (ms) => ms * 1000],
    ['nanoseconds, as pandas has them', (ms) => ms * 1_000_000],
    ['fractions of seconds', (ms) => ms / 1000 + 0.25],
    [
      'the name of the zone behind its offset, as Java writes it',
      (ms) => iso(ms).replace('Z', '+00:00[Europe/London]'),
    ],
  ])('are read in this form: %s', async (name, time) => {
    const files = [
      await file(`${name.length}/lists.csv`, table(listRows(time))),
      await file(`${name.length}/clicks.csv`, table(clickRows(time))),
    ];
    expect(await found(name.replaceAll(' ', '-'), files)).toMatchObject({
      ...RIGHT,
      validated: SOUND,
    });
  });

  it('of an envelope are not taken for the time of the event', async () => {
    const rows = mixedRows().map((row) => ({
      payload: { after: row, op: 'c', ts_ms: START + 1e9 },
    }));
    const { yaml } = await found('envelope', [await file('envelope.json', jsonLines(rows))]);
    expect(yaml).toContain('ts: /payload/after/timestamp');
  });
});

describe('an export of a library or warehouse', () => {
  it('may have types in column names (RecBole)', async () => {
    const head = 'user_id:token\titem_id:token\trating:float\ttimestamp:float\n';
    const inter = clicks.map(({ user, item, at }) => `${user}\t${item}\t5.0\t${at / 1000}\n`);
    const top = lists.flatMap(({ user }) =>
      ITEMS.map((item_id, n) => ({ user_id: user, item_id, rank: n + 1 })),
    );
    const files = [
      await file('ml.inter', head + inter.join('')),
      await file('als.csv', table(top)),
    ];
    expect(await found('recbole', files)).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it('may have upper-case column names and \\N for null (Snowflake)', async () => {
    const capitals = (rows: readonly Row[]) =>
      rows.map((row) =>
        Object.fromEntries(
          [...Object.entries(row), ['campaign', '\\N']].map(([key, value]) => [
            String(key).toUpperCase(),
            value,
          ]),
        ),
      );
    const files = [
      await file('lists_0_0_0.csv', table(capitals(listRows()))),
      await file('clicks_0_0_0.csv', table(capitals(clickRows()))),
    ];
    expect(await found('snowflake', files)).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it('may have JSON objects in a cell over several lines', async () => {
    const slate = JSON.stringify(
      ITEMS.map((item_id) => ({ item_id, score: 0.5 })),
      null,
      1,
    );
    const files = [
      await file('cells/lists.csv', table(listRows(iso, slate))),
      await file('cells/clicks.csv', table(clickRows())),
    ];
    expect(await found('cells', files)).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it('may have JSON objects in a text column of Parquet', async () => {
    const rows = mixedRows().map(({ event, timestamp, user_id, ...properties }) => ({
      event,
      timestamp,
      user_id,
      properties: JSON.stringify(properties),
    }));
    const source = await file('properties.ndjson', jsonLines(rows));
    const path = join(folder, 'properties.parquet');
    await writeQuery(
      path,
      `select * from read_json('${source}', columns={event: 'varchar', timestamp: 'timestamp', user_id: 'varchar', properties: 'varchar'})`,
    );
    expect(await found('properties', [path])).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it('may be partitioned by day, with the same file names for lists and clicks', async () => {
    for (const [kind, rows] of [
      ['impressions', listRows()],
      ['clicks', clickRows()],
    ] as const) {
      for (const part of [0, 1]) {
        const own = rows.filter(({ user_id }) => Number(String(user_id).slice(1)) % 2 === part);
        await file(`hive/${kind}/dt=2026-05-2${part}/part-0000${part}.csv`, table(own));
        await file(`hive/${kind}/_SUCCESS`, '');
      }
    }
    const below = join(folder, 'hive');
    for (const files of [
      [join(below, 'impressions'), join(below, 'clicks')],
      [`${below}/**/*.csv`],
    ]) {
      const numbers = await found(`hive${files.length}`, files);
      expect(numbers).toMatchObject({ ...RIGHT, validated: SOUND });
    }
  });

  it('may have nested lists in Parquet, with one file per model (LensKit)', async () => {
    const nested = (order: readonly number[]) =>
      lists.map(({ n }) => ({
        user_id: n,
        items: order.map((item_id, r) => ({ item_id, rank: r + 1, score: 1 / (r + 1) })),
      }));
    const rated = clicks.map(({ n, item, at }) => ({
      user_id: n,
      item_id: item,
      rating: 4,
      timestamp: at / 1000,
    }));
    const files = [];
    for (const [name, rows] of [
      ['als', nested(ITEMS)],
      ['knn', nested([24, 23, 22, 21])],
      ['ratings', rated],
    ] as const) {
      const source = await file(`lenskit/${name}.ndjson`, jsonLines(rows));
      const path = join(folder, 'lenskit', `${name}.parquet`);
      await writeQuery(path, `select * from read_json('${source}')`);
      files.push(path);
    }
    const { yaml, recall, validated } = await found('lenskit', files);
    expect(parse(yaml)).toEqual({ events: { mapping: 'lenskit' } });
    expect(validated).toContain('48 exposures, 20 interactions, 0 invalid');
    // als ranks the first item, taken by 16 users, in its top two; knn the fourth, taken by 4.
    expect(recall).toEqual([0.8, 0.2]);
  });

  it('may have one file of lists without ids per model', async () => {
    const top = (items: readonly number[]) =>
      table(
        lists.flatMap(({ n }) => items.map((item_id, r) => ({ user_id: n, item_id, rank: r + 1 }))),
      );
    const taken = clicks.map(({ n, item, at }) => ({ user_id: n, item_id: item, timestamp: at }));
    const files = [
      await file('models/als.csv', top(ITEMS)),
      await file('models/knn.csv', top([24, 23, 22, 21])),
      await file('models/test.csv', table(taken)),
    ];
    const { recall, validated } = await found('models', files);
    expect(validated).toContain('48 exposures, 20 interactions, 0 invalid');
    expect(recall).toEqual([0.8, 0.2]);
  });

  it('may have two models that rank the same items for one request', async () => {
    const ranked = lists.flatMap(({ at, request, user }) =>
      ['als', 'knn'].flatMap((model) =>
        (model === 'als' ? ITEMS : [24, 23, 22, 21]).map((item_id, r) => ({
          request_id: request,
          timestamp: iso(at),
          user_id: user,
          model,
          position: r + 1,
          item_id,
        })),
      ),
    );
    const files = [
      await file('rankings.csv', table(ranked)),
      await file('taken.csv', table(clickRows())),
    ];
    const { recall, validated, interactions } = await found('rankings', files);
    expect(validated).toContain('48 exposures, 20 interactions, 0 invalid');
    expect(interactions).toBe(20);
    expect(recall).toEqual([0.8, 0.2]);
  });

  it('may list items as objects with an id', async () => {
    const rows = mixedRows().map((row) => ({
      ...row,
      ...(row['event'] === 'impression' && { items: ITEMS.map((id) => ({ id, price: 2 })) }),
    }));
    const path = await file('objects.json', jsonLines(rows));
    expect(await found('objects', [path])).toMatchObject({ ...RIGHT, validated: SOUND });
  });

  it('may have a unique list id beside one that many lists share (Segment)', async () => {
    const own = (row: Row, n: number) => ({ id: `e${n}`, list_id: 'home', ...row });
    const files = [
      await file('segment/product_list_viewed.csv', table(listRows().map(own))),
      await file('segment/product_clicked.csv', table(clickRows().map(own))),
    ];
    const numbers = await found('segment', files);
    expect(numbers).toMatchObject({ ...RIGHT, validated: SOUND });
    expect(numbers.yaml.match(/\/request_id/g)).toHaveLength(2);
  });

  it('may flag each listed item as clicked or not, in a folder called clicks', async () => {
    const shown = lists.flatMap(({ n, at, request, user }) =>
      ITEMS.map((item_id, r) => ({
        query_id: request,
        timestamp: iso(at),
        user_id: user,
        ranker: 'm',
        position: r + 1,
        item_id,
        clicked: clicks.some((click) => click.n === n && click.item === item_id) ? 1 : 0,
      })),
    );
    const numbers = await found('slates', [await file('clicks/search_log.csv', table(shown))]);
    // Each of the 96 items is an interaction, of which the 20 clicks are positive.
    expect(numbers).toMatchObject({
      interactions: 96,
      positives: 20,
      faults: 0,
      recall: [0.8],
    });
    expect(numbers.validated).toContain('24 exposures, 96 interactions, 0 invalid');
  });

  it('may flag each impression as clicked or not (KuaiRand)', async () => {
    const log = lists.flatMap(({ n, at }) =>
      ITEMS.map((video_id) => ({
        user_id: n,
        video_id,
        time_ms: at + 1000,
        is_click: clicks.some((click) => click.n === n && click.item === video_id) ? 1 : 0,
      })),
    );
    const top = lists.flatMap(({ n }) =>
      ITEMS.map((item_id, r) => ({ user_id: n, item_id, rank: r + 1 })),
    );
    const files = [await file('log.csv', table(log)), await file('mf.csv', table(top))];
    // All 96 rows are interactions, of which the 20 clicks are positive.
    expect(await found('kuairand', files)).toMatchObject({
      interactions: 96,
      positives: 20,
      recall: [0.8],
    });
  });
});

describe('unreadable files are refused in one line with a remedy', () => {
  const refusals: readonly (readonly [string, string | Uint8Array, string])[] = [
    ['bzip2.ndjson.bz2', Buffer.from('BZh91AY&SY'), 'compressed with bzip2: decompress it'],
    [
      'xz.csv.xz',
      Buffer.from([0xfd, ...Buffer.from('7zXZ\0\0')]),
      'compressed with xz: decompress it',
    ],
    ['book.xlsx', Buffer.from('PK\u0003\u0004....'), 'save it as CSV'],
    ['events.avro', Buffer.from('Obj\u0001....'), 'it is an Avro file: write it as Parquet'],
    ['events.feather', Buffer.from('ARROW1\0\0'), 'write it as Parquet'],
    [
      'latin.csv',
      Buffer.from(table(clickRows().map((row) => ({ ...row, t: 'é' }))), 'latin1'),
      'iconv',
    ],
    [
      'unload_part_00',
      clicks.map(({ at, user }) => `${iso(at)}|${user}|21\n`).join(''),
      'first row has values (2026-05-20T00:00:04.000Z) instead of column names',
    ],
    [
      'ratings.dat',
      clicks.map(({ n, at }) => `${n}::21::5::${at / 1000}\n`).join(''),
      'instead of column names: add a row of column names',
    ],
    [
      'hits.tsv',
      `${['2026-05-20 00:00:00', '2026-05-20 00:00:00', 'u'].join('\t')}\n`,
      'instead of column names: add a row of column names',
    ],
  ];
  it.each(refusals)('%s', async (name, content, cure) => {
    const path = await file(`refused/${name}`, content);
    for (const command of [['doctor', '--files'], ['validate'], ['evaluate'], ['replay']]) {
      const { code, stderr } = await run([...command, path]);
      expect({ command, code }).toEqual({ command, code: 1 });
      expect(stderr).toMatch(/^unskew: [^\n]*\n$/);
      expect(stderr).toContain(cure);
    }
  });

  it('with the doctor command, by evaluate, replay and export', async () => {
    const path = await file('refused/foreign.ndjson', jsonLines(mixedRows()));
    const set = join(folder, 'no.set');
    for (const command of [['evaluate'], ['replay'], ['export', '--out', set, '--events']]) {
      const { code, stderr } = await run([...command, path]);
      expect({ command, code }).toEqual({ command, code: 1 });
      expect(stderr.trim().split('\n').at(-1)).toContain(`unskew doctor --files ${path} --out`);
    }
  });

  it.each([
    ['train.txt', '2 qid:1 1:0.2 2:0.5 # 11\n', 'it is neither lines of JSON nor a table'],
    [
      'arms.csv',
      'decisions,rewards\na,1\nb,0\n',
      'no record in it looks like a list or an interaction',
    ],
    ['lists.csv', table(listRows(iso, '21,22,23'), ';'), "items: { path: /items, split: ',' }"],
  ])('by doctor: %s', async (name, content, cure) => {
    const { code, stderr } = await run([
      'doctor',
      '--files',
      await file(`unclear/${name}`, content),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^unskew: not ready: [^\n]*\n$/);
    expect(stderr).toContain(cure);
  });
});
