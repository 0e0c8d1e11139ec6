import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventTable } from '../../../../src/adapters/parquet/event-table.js';
import { eventPaths } from '../../../../src/commands/cli/event-paths.js';
import { EventReader } from '../../../../src/commands/files/read-events.js';
import { validateFiles } from '../../../../src/commands/files/validate.js';
import { Random } from '../../../../src/estimators/mathematics/random.js';
import type { Mapping } from '../../../../src/events/mapping/mapping.js';
import { Interner } from '../../../../src/state/ids/interner.js';
import { Outcomes } from '../../../../src/stream/outcomes.js';
import { EVENT_COLUMNS, writeBoth, writeQuery } from '../../../support/parquet-file.js';
import { aLogOf } from '../../../support/random-log.js';
import { aSpoiledLog, DECODER, readAll } from '../../../support/read-events.js';
import { repetitions } from '../../../support/repetitions.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-parquet-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a Parquet file and the same events as NDJSON', () => {
  it('give the same rows, ids and invalid events with every codec', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        aSpoiledLog,
        fc.constantFrom(
          '',
          ', codec zstd',
          ', codec gzip',
          ', codec lz4_raw',
          ', codec brotli',
          ', parquet_version v2',
        ),
        async (events, codec) => {
          const path = join(folder, `log${n++}`);
          await writeBoth(path, events, EVENT_COLUMNS, codec);
          const lines = await readAll(`${path}.ndjson`);
          expect(await readAll(`${path}.parquet`)).toEqual(lines);
        },
      ),
      { numRuns: repetitions(15, 500) },
    );
  });

  it('agree across several row groups', async () => {
    const [log] = fc.sample(aLogOf(5000, undefined, 5000), { numRuns: 1, seed: 7 });
    const path = join(folder, 'groups');
    await writeBoth(path, log!, EVENT_COLUMNS, ', row_group_size 2048');
    const lines = await readAll(`${path}.ndjson`);
    expect(await readAll(`${path}.parquet`)).toEqual(lines);
  });
});

/** An interner that counts its calls. */
class AskedTable extends Interner {
  asked = 0;

  override intern(...args: Parameters<Interner['intern']>): number {
    this.asked++;
    return super.intern(...args);
  }
}

describe('ids in a Parquet file', () => {
  const io = { isTerminal: false, signal: new AbortController().signal } as never;
  const read = async (onChunk: (users: AskedTable, items: AskedTable) => void) => {
    const path = join(folder, 'asked.parquet');
    await writeQuery(
      path,
      `select range::varchar as id, 1 as ts, 'u' as "user", 'i' as item from range(5000)`,
    );
    const users = new AskedTable();
    const items = new AskedTable();
    const ids = { items, models: new Interner() };
    const options = { decoder: DECODER, maxEventBytes: 1 << 20, ids, users, maxFaults: 0, io };
    let rows = 0;
    await new EventReader(options).read([path], new Outcomes(), (interactions) => {
      for (let r = 0; r < interactions.length; r++) {
        expect(users.isKnown(interactions.user[r]!)).toBe(true);
        expect(items.isKnown(interactions.item[r]!)).toBe(true);
      }
      rows += interactions.length;
      onChunk(users, items);
    });
    expect(rows).toBe(5000);
    return { users, items };
  };

  it('are interned once, however many chunks contain them', async () => {
    const { users, items } = await read(() => undefined);
    expect([users.asked, items.asked]).toEqual([1, 1]);
  });

  it('are interned again if they were swept between two chunks', async () => {
    const { users, items } = await read((users, items) => {
      for (const table of [users, items]) {
        table.mark();
        for (const _ of table.sweep());
      }
    });
    expect(users.asked).toBeGreaterThan(3);
    expect(items.asked).toBe(users.asked);
  });
});

async function readQuery(query: string, mapping?: Mapping, name = 'query.parquet') {
  const path = join(folder, name);
  await writeQuery(path, query);
  return readAll(path, mapping === undefined ? DECODER : { ...DECODER, mapping });
}

const WHO = `'e1' as id, 'u' as "user", 'i' as item`;

describe('the Parquet reader', () => {
  it('rounds timestamps of every unit down to ms, also before 1970', async () => {
    const at = "timestamp '2026-01-01 00:00:00.123456'";
    for (const [type, ms] of [
      [`${at}::timestamp_s`, 1767225600000],
      [`${at}::timestamp_ms`, 1767225600123],
      [`${at}`, 1767225600123],
      [`timestamp_ns '2026-01-01 00:00:00.123456789'`, 1767225600123],
      [`(${at})::timestamptz`, 1767225600123],
      [`date '2026-01-01'`, 1767225600000],
      [`'2026-01-01T01:00:00.1239+01:00'`, 1767225600123],
      [`1767225600123::decimal(18,0)`, 1767225600123],
      [`1767225600123.0::double`, 1767225600123],
      [`timestamp '1969-12-31 23:59:59.9999'`, -1],
    ] as const) {
      const { rows, told } = await readQuery(`select ${type} as ts, ${WHO}`);
      expect([type, told, (rows[0] as number[])[1]]).toEqual([type, [], ms]);
    }
  });

  it('applies tsUnit to numbers but not to timestamps', async () => {
    const interaction = { id: '/id', ts: '/at', user: '/user', item: '/item' };
    const of = async (at: string, tsUnit: 's' | 'us' | 'ms') => {
      const { rows } = await readQuery(`select ${at} as at, ${WHO}`, { tsUnit, interaction });
      return (rows[0] as number[])[1];
    };
    expect(await of('1767225600', 's')).toBe(1767225600000);
    expect(await of('1767225600123456', 'us')).toBe(1767225600123);
    expect(await of("timestamp '2026-01-01'", 's')).toBe(1767225600000);
  });

  it('accepts integers, UUIDs and enums as ids, exact above 2⁵³', async () => {
    const id = 'b0a0f9c6-0000-4000-8000-0123456789ab';
    const { ids, told } = await readQuery(
      `select 'a' as id, 1 as ts, 9007199254740993::bigint as "user", uuid '${id}' as item
       union all select 'b', 2, -5, null union all select 'c', 3, 6, uuid '${id}'`,
    );
    expect(ids[0]).toEqual(['9007199254740993', '6']);
    expect(ids[1]).toEqual([id]);
    expect(told).toEqual(['2: missing_field']);
    const named = await readQuery(
      `select 'a' as id, 1 as ts, 'x'::enum('x','y') as "user", 7::utinyint as item`,
    );
    expect(named.ids.slice(0, 2)).toEqual([['x'], ['7']]);
  });

  it('converts decimals to the nearest doubles', async () => {
    for (const type of ['decimal(4,1)', 'decimal(9,2)', 'decimal(18,3)', 'decimal(38,4)']) {
      const { rows } = await readQuery(
        `select unnest([0.3, 0.7, -1.1, null])::${type} as value, unnest(['a','b','c','d']) as id,
         1 as ts, 'u' as "user", 'i' as item`,
      );
      expect(rows.map((row) => (row as number[])[6])).toEqual([0.3, 0.7, -1.1, 0]);
    }
  });

  it('resolves pointers into structures, and falls back along a list of pointers', async () => {
    const { rows, ids, told } = await readQuery(
      `select {'id': 'u1', 'score': 0.3::decimal(4,1)} as who, null::varchar as login,
              [{'sku': 'a', 'p': 0.25}, {'sku': 'b', 'p': 0.5}] as list, 'm' as model,
              timestamp '2026-01-01' as at, 'x1' as id
       union all
       select null, 'u2', [{'sku': 'c', 'p': 1}], 'm', timestamp '2026-01-01', 'x2'`,
      {
        exposure: {
          id: '/id',
          ts: '/at',
          model: '/model',
          share: '/who/score',
          request: '/id',
          user: ['/login', '/who/id'],
          items: { path: '/list', each: '/sku' },
          propensities: { path: '/list', each: '/p' },
        },
      },
    );
    expect(told).toEqual([]);
    expect(ids).toEqual([['u1', 'u2'], ['a', 'b', 'c'], ['m']]);
    const [first, second] = rows as unknown[][];
    expect(first!.slice(7)).toEqual([[0, 1], [0.25, 0.5], [], expect.arrayContaining([0.3])]);
    expect(second!.slice(7, 9)).toEqual([[2], [1]]);
  });

  it('takes columns from the path, unless the file has them', async () => {
    const place = join(folder, 'type=interaction', 'randomized=true', 'item=other');
    await mkdir(place, { recursive: true });
    const path = join(place, 'part.parquet');
    await writeQuery(path, `select 'a' as id, 1 as ts, 'u' as "user", 'i' as item`);
    const { rows, ids } = await readAll(path);
    expect((rows[0] as number[])[0]! & 1).toBe(1);
    expect(ids[1]).toEqual(['i']);
  });
});

describe('reading a Parquet file', () => {
  const failure = (path: string, mapping?: Mapping) =>
    readAll(path, mapping === undefined ? DECODER : { ...DECODER, mapping }).then(
      () => 'read',
      (error: Error & { code: string }) => `${error.code} ${error.message.replaceAll(folder, '')}`,
    );

  it('reports in one line that it is truncated, damaged or missing', async () => {
    const path = join(folder, 'whole.parquet');
    await writeQuery(path, `select 'a' as id, 1 as ts, 'u' as "user", 'i' as item`);
    const whole = await readFile(path);
    const cut = async (name: string, bytes: Uint8Array) => {
      await writeFile(join(folder, name), bytes);
      return failure(join(folder, name));
    };
    expect(await cut('cut.parquet', whole.subarray(0, -1))).toBe(
      'FILE cannot read /cut.parquet: it is not a Parquet file, or was cut short',
    );
    expect(await cut('empty.parquet', new Uint8Array(0))).toContain('or was cut short');
    const long = Uint8Array.from(whole);
    long.set([255, 255, 255, 127], long.length - 8);
    expect(await cut('long.parquet', long)).toContain('is longer than the file');
    const damaged = Uint8Array.from(whole);
    damaged.fill(0xff, 4, 60);
    expect(await cut('damaged.parquet', damaged)).toMatch(
      /^FILE cannot read \/damaged.parquet: row group 0, column \w+[: ][^\n]+$/,
    );
    expect(await failure(join(folder, 'none.parquet'))).toBe(
      'FILE cannot read /none.parquet: no such file',
    );
  });

  it('succeeds or fails in one line if bytes of its pages are changed', async () => {
    const [log] = fc.sample(aLogOf(80, undefined, 80), { numRuns: 1, seed: 3 });
    const path = join(folder, 'sound');
    await writeBoth(path, log!, EVENT_COLUMNS, ', codec uncompressed');
    const sound = await readFile(`${path}.parquet`);
    const pages = sound.length - 8 - sound.readUInt32LE(sound.length - 8);
    const random = new Random(1, 'changed bytes');
    let failed = 0;
    const changes = repetitions(30, 1500);
    for (let n = 0; n < changes; n++) {
      const changed = Buffer.from(sound);
      for (let c = 0; c <= n % 4; c++) changed[4 + random.below(pages - 4)] = random.below(256);
      await writeFile(join(folder, 'changed.parquet'), changed);
      const ended = await failure(join(folder, 'changed.parquet'));
      expect(ended).toMatch(/^(read|FILE cannot read \/changed.parquet: [^\n]+)$/);
      if (ended !== 'read') failed++;
    }
    expect(failed).toBeGreaterThan(changes / 10);
    expect(failed).toBeLessThan(changes);
  });

  it('names the column with a damaged Zstandard frame', async () => {
    const path = join(folder, 'packed');
    const [log] = fc.sample(aLogOf(300, undefined, 300), { numRuns: 1, seed: 5 });
    await writeBoth(path, log!, EVENT_COLUMNS, ', codec zstd');
    const sound = await readFile(`${path}.parquet`);
    const frames: number[] = [];
    for (let at = 0; ; ) {
      at = sound.indexOf(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), at + 1);
      if (at < 0) break;
      frames.push(at);
    }
    expect(frames.length).toBeGreaterThan(5);
    // A wrong magic number, a wrong size, an invalid block type.
    for (const [at, byte] of [
      [0, 0],
      [5, 1],
      [6, 0xff],
    ] as const) {
      for (const frame of frames) {
        const damaged = Buffer.from(sound);
        damaged[frame + at] = byte;
        await writeFile(join(folder, 'damaged.parquet'), damaged);
        expect(await failure(join(folder, 'damaged.parquet'))).toMatch(
          /^FILE cannot read \/damaged.parquet: row group 0, column \w+: (it is damaged: )?a Zstandard frame is damaged$/,
        );
      }
    }
    expect(await failure(`${path}.parquet`)).toBe('read');
  });

  it('names the columns that are missing or cannot hold a field', async () => {
    const of = async (query: string) => {
      await writeQuery(join(folder, 'wrong.parquet'), query);
      return failure(join(folder, 'wrong.parquet'));
    };
    expect(await of(`select 1 as id, 2 as ts, 'u' as "user"`)).toBe(
      'FILE cannot read /wrong.parquet: to be exposures, its rows lack model, items; ' +
        'to be interactions, its rows lack item; its columns are id, ts, user; ' +
        'to make a mapping: unskew doctor --files /wrong.parquet --out unskew.yaml',
    );
    expect(await of(`select 'a' as id, [1] as ts, 'u' as "user", 'i' as item`)).toBe(
      'FILE cannot read /wrong.parquet: column ts holds lists of integers, which cannot be ts',
    );
    expect(await of(`select 'a' as id, 1 as ts, true as "user", 'i' as item`)).toContain(
      'column user holds booleans, which cannot be user',
    );
    expect(
      await of(
        `select 'a' as id, 1 as ts, 'u' as "user", 'i' as item, 'm' as model, ['i'] as items`,
      ),
    ).toContain('no column says which of them a row is');
  });

  it('succeeds with 10,000 columns, and lists some if required ones are missing', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `${n} as c${n}`).join(', ');
    expect((await readQuery(`select ${many}, 1 as ts, ${WHO}`)).rows).toHaveLength(1);
    const elsewhere = { interaction: { id: '/a', ts: '/b', user: '/c', item: '/d' } };
    expect(await failure(join(folder, 'query.parquet'), elsewhere)).toMatch(
      /its columns are c0, c1, .* and 9992 more$/,
    );
  });

  it('refuses a row group that would not fit in memory', async () => {
    const path = join(folder, 'large.parquet');
    await writeQuery(
      path,
      `select range::varchar as id, 1 as ts, 'u' as "user", 'i' as item from range(100000)`,
    );
    await expect(EventTable.open(path, { mapping: undefined }, 1 << 20)).rejects.toThrow(
      /row group 0 takes 0\.\d GiB, more than 1 GiB: write the file with smaller row groups/,
    );
  });
});

describe('validate', () => {
  it('reports invalid events of a Parquet file by row', async () => {
    const path = join(folder, 'rows.parquet');
    await writeQuery(
      path,
      `select unnest(['a', 'b', 'a', null]) as id, 1 as ts, 'u' as "user", unnest(['i', '', 'i', 'i']) as item`,
    );
    const lines: string[] = [];
    await validateFiles([path], {}, (line) => lines.push(line.replace(path, 'rows')));
    expect(lines).toEqual([
      'rows:2: id_empty: item: expected a non-empty string',
      'rows:3: repeated_id: an earlier event has the same id "a"',
      'id_empty: 1',
      'repeated_id: 1',
      '4 events in 1 file: 0 exposures, 2 interactions, 2 invalid',
    ]);
  });
});

describe('paths of event files', () => {
  it('expand folders and patterns to event files, in order', async () => {
    const root = join(folder, 'paths');
    await mkdir(join(root, 'day=2', 'deep'), { recursive: true });
    await mkdir(join(root, 'day=1', '_temporary'), { recursive: true });
    const names = ['day=1/b.parquet', 'day=1/a.ndjson.gz', 'day=2/deep/c.parquet', 'day=2/d.txt'];
    const hidden = ['day=1/_SUCCESS', 'day=1/.e.parquet', 'day=1/_temporary/f.parquet'];
    for (const name of [...names, ...hidden]) await writeFile(join(root, name), '');
    const below = (...paths: string[]) =>
      eventPaths(paths.map((path) => join(root, path))).map((path) => path.slice(root.length + 1));
    expect(below('')).toEqual(['day=1/a.ndjson.gz', 'day=1/b.parquet', 'day=2/deep/c.parquet']);
    expect(below('day=*/*.parquet')).toEqual(['day=1/b.parquet']);
    expect(below('**/?.parquet')).toEqual(['day=1/b.parquet', 'day=2/deep/c.parquet']);
    expect(below('day=2/d.txt', 'none')).toEqual(['day=2/d.txt', 'none']);
    expect(() => below('*.parquet')).toThrow(/no file matches/);
    expect(() => below('day=1/_temporary/..', 'day=2/../day=1/_temporary')).not.toThrow();
    await rm(join(root, 'day=2', 'deep'), { recursive: true });
    expect(() => below('day=2')).toThrow(/the folder has no event file/);
  });
});

describe('a basket', () => {
  const orders = [
    {
      id: 'o1',
      at: 1000,
      who: 'u',
      lines: [
        { sku: 7, paid: 2.5 },
        { sku: 8, paid: 1 },
      ],
    },
    {
      id: 'o2',
      at: 2000,
      who: 'v',
      lines: [{ sku: 9, paid: 1 }, { paid: 4 }, { sku: 7, paid: 3 }],
    },
    { id: 'o3', at: 3000, who: 'v', lines: [] },
    { id: 'o4', at: 4000, who: null, lines: [{ sku: 7, paid: 1 }] },
  ];
  const mapping: Mapping = {
    anonymous: 'ignored',
    interaction: {
      id: '/id',
      ts: '/at',
      user: '/who',
      item: { path: '/lines', each: '/sku' },
      value: { path: '/lines', each: '/paid' },
    },
  };

  it('counts each of its lines, in Parquet as in JSON, and rejects an invalid line', async () => {
    const path = join(folder, 'orders');
    const lines = 'STRUCT(sku BIGINT, paid DOUBLE)[]';
    await writeBoth(path, orders, { id: 'VARCHAR', at: 'BIGINT', who: 'VARCHAR', lines });
    const decoder = { ...DECODER, mapping };
    const json = await readAll(`${path}.ndjson`, decoder);
    expect(json.rows).toHaveLength(4);
    expect(json.rows.map((row) => (row as number[])[6])).toEqual([2.5, 1, 1, 3]);
    expect(json.ids.slice(0, 2)).toEqual([
      ['u', 'v'],
      ['7', '8', '9'],
    ]);
    expect([json.told, json.ignored]).toEqual([['2: missing_field'], 2]);
    expect(await readAll(`${path}.parquet`, decoder)).toEqual(json);
    for (const kind of ['ndjson', 'parquet']) {
      expect((await readAll(`${path}.${kind}`, decoder)).rows).toEqual(json.rows);
    }
    const counts = await validateFiles([`${path}.ndjson`], { mapping }, () => {});
    expect(counts).toMatchObject({ interactions: 2, faulty: 1, ignored: 2 });
  });
});

describe('a mapping of values, defaults and joined ids', () => {
  it('gives the same rows from Parquet columns as from lines of JSON', async () => {
    const path = join(folder, 'made');
    const places = ['HOME', null, 'CART'];
    const rows = Array.from({ length: 9 }, (_, n) => ({
      event: n % 3 === 0 ? 'list' : n % 3 === 1 ? 'buy' : 'look',
      rid: `r${n}`,
      at: n + 0.5,
      who: 40 + n,
      slot: places[Math.floor(n / 3)],
      sku: `a${n}`,
      paid: n === 4 ? null : n,
      arm: n % 2 === 0 ? 'b' : null,
      tests: [{ name: 'x', arm: `v${n % 2}` }],
    }));
    const mapping: Mapping = {
      kind: {
        path: ['/kind', '/event'],
        values: { list: 'exposure', buy: 'interaction', look: 'interaction' },
      },
      tsUnit: 's',
      exposure: {
        id: '/rid',
        ts: '/at',
        user: '/who',
        model: { path: '/tests', where: { '/name': 'x' }, at: '/arm', default: 'none' },
        items: { constant: 'front' },
        request: { path: '/slot', default: 'nowhere' },
        share: { path: '/arm', map: { b: 0.25 }, default: 0.75 },
        shown: { path: '/hidden', default: false },
      },
      interaction: {
        id: '/rid',
        ts: { path: '/at' },
        user: '/who',
        item: '/sku',
        action: { path: '/event', map: { buy: 'purchase' }, default: 'view' },
        value: { path: '/paid', times: -2, default: 1 },
      },
    };
    const inside = 'STRUCT(name VARCHAR, arm VARCHAR)[]';
    await writeBoth(path, rows, {
      event: 'VARCHAR',
      rid: 'VARCHAR',
      at: 'DOUBLE',
      who: 'BIGINT',
      slot: 'VARCHAR',
      sku: 'VARCHAR',
      paid: 'DOUBLE',
      arm: 'VARCHAR',
      tests: inside,
    });
    const decoder = { ...DECODER, mapping, actions: { view: 0, purchase: 5 } };
    const json = await readAll(`${path}.ndjson`, decoder);
    expect(json.told).toEqual([]);
    expect(json.rows).toHaveLength(9);
    expect(await readAll(`${path}.parquet`, decoder)).toEqual(json);
  });
});
