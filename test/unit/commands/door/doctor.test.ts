import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { armsOf, experimentText } from '../../../../src/commands/doctor/ab-test.js';
import { writeQuery } from '../../../support/parquet-file.js';
import { run as runWith } from '../../cli/fake-io.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-door-doctor-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (argv: readonly string[]) => runWith(argv, BODIES);
const START = Date.UTC(2026, 3, 1);
const jsonLines = (rows: readonly object[]) =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const many = <T>(count: number, make: (n: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n));
const iso = (ms: number) => new Date(START + ms).toISOString();

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

interface Looked {
  readonly last: string;
  readonly config: string;
  readonly written: Record<string, Record<string, unknown>>;
  readonly text: string;
}

/** Run doctor on files, and `evaluate`, `validate` and `replay` with the configuration it writes. */
async function looked(name: string, files: readonly string[]): Promise<Looked> {
  const config = join(folder, `${name}.yaml`);
  const { code, stdout, stderr } = await run(['doctor', '--files', ...files, '--out', config]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of [['validate'], ['evaluate', '--json'], ['replay', '--json']]) {
    const { code, stderr } = await run([...command, ...files, '--config', config]);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
  }
  const written = (parse(await readFile(config, 'utf8')) ?? {}) as Looked['written'];
  return { last: stdout.trim().split('\n').at(-1)!, config, written, text: stdout };
}

const counts = async (files: readonly string[], config: string) => {
  const { stdout } = await run(['validate', ...files, '--config', config]);
  return stdout.trim().split('\n').at(-1);
};

describe('the configuration that doctor writes for files', () => {
  it('is empty for native events, and the output ends with the evaluate command', async () => {
    const lists = many(20, (n) => ({
      type: 'exposure',
      id: `l${n}`,
      ts: START + n,
      user: `u${n}`,
      model: 'm',
      items: ['a', 'b'],
    }));
    const clicks = many(20, (n) => ({
      type: 'interaction',
      id: `c${n}`,
      ts: START + 100 + n,
      user: `u${n}`,
      item: 'a',
      exposure: `l${n}`,
    }));
    const path = await file('own.ndjson', jsonLines([...lists, ...clicks]));
    const { written, last, config } = await looked('own', [path]);
    expect(written).toEqual({});
    expect(last).toBe(`Ready: unskew evaluate --config ${config} --events ${path}`);
  });

  it('reads clicks and impressions of one row per item, as pandas writes them', async () => {
    const shown = many(40, (n) => n).flatMap((n) =>
      [3, 2, 1].map((position) => ({
        request_id: 9000 + n,
        timestamp: iso(n * 1000),
        user_id: n % 8,
        variant: `v${n % 2}`,
        position,
        item_id: 100 + position,
      })),
    );
    const clicks = many(30, (n) => ({
      timestamp: iso(n * 1000 + 500),
      user_id: n % 8,
      item_id: 101,
      request_id: n % 3 === 0 ? null : 9000 + n,
    }));
    const a = await file('shown.ndjson', jsonLines(shown));
    const b = await file('taken.ndjson', jsonLines(clicks));
    const impressions = join(folder, 'impressions.parquet');
    const taken = join(folder, 'clicks.parquet');
    const asTime = 'replace (timestamp::timestamptz as timestamp';
    await writeQuery(impressions, `select * ${asTime}) from read_json('${a}')`);
    // pandas writes a column of integers with missing values as floats.
    await writeQuery(
      taken,
      `select * ${asTime}, request_id::double as request_id) from read_json('${b}')`,
    );
    const { text, config } = await looked('frames', [impressions, taken]);
    expect(text).toContain('lists       40, of 3 items (median)');
    expect(text).toContain(
      '67 % of the interactions give a list id; 20 of these 20 lists are in the sample',
    );
    expect(await counts([impressions, taken], config)).toBe(
      '150 events in 2 files: 40 exposures, 30 interactions, 0 invalid',
    );
  });

  it('treats lists without a time as older than the interactions', async () => {
    const recos = many(10, (user) => user).flatMap((user_id) =>
      [1, 2, 3].map((rank) => ({ user_id, item_id: 50 + rank, rank, score: 1 / rank })),
    );
    const test = many(10, (user_id) => ({
      user_id,
      item_id: 52,
      rating: 4,
      timestamp: START / 1000 + user_id,
    }));
    const csv = (rows: readonly object[]) =>
      [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]
        .map((row) => row.join())
        .join('\n');
    const files = [await file('als.csv', csv(recos)), await file('test.csv', csv(test))];
    const { config } = await looked('recos', files);
    const flags = [
      '--metrics',
      'recall',
      '--k',
      '1,2',
      '--estimators',
      'naive',
      '--baseline',
      'none',
    ];
    const { stdout } = await run(['evaluate', ...files, '--config', config, ...flags, '--json']);
    const { results } = JSON.parse(stdout) as {
      results: { model: string; k: number; aggregation: string; value: number }[];
    };
    const pooled = results.filter(({ aggregation }) => aggregation === 'pooled');
    // All users took the item that is second in every list.
    expect(pooled.map(({ model, k, value }) => [model, k, value])).toEqual([
      ['als', 1, 0],
      ['als', 2, 1],
    ]);
  });

  it('uses the built-in mappings for MIND, GA4, Open Bandit and OpenSearch bulk files', async () => {
    const mind = many(
      20,
      (n) =>
        `${n}\tU${n}\t11/15/2019 1:0${n % 2}:0${n % 10} PM\tN1 N2\tN5-0 N${6 + (n % 3)}-1 N9-0`,
    );
    const ga4 = many(20, (n) => ({
      event_name: n % 2 === 0 ? 'view_item_list' : 'select_item',
      event_timestamp: `${(START + n) * 1000}`,
      user_id: null,
      user_pseudo_id: `p${n >> 1}`,
      items: (n % 2 === 0 ? ['s1', 's2'] : ['s2']).map((item_id) => ({
        item_id,
        item_list_id: 'home',
      })),
    }));
    const obp = ['timestamp,item_id,position,click,propensity_score'].concat(
      many(20, (n) => `${iso(n)},${n % 4},1,${n % 5 === 0 ? 1 : 0},0.25`),
    );
    const bulk = many(20, (n) => n).flatMap((n) => {
      const own = {
        query_id: `q${n}`,
        client_id: `c${n}`,
        timestamp: iso(n * 1000),
        application: 'shop',
      };
      const event = (action_name: string, object_id: string, ordinal: number) => ({
        ...own,
        action_name,
        event_attributes: { object: { object_id }, position: { ordinal } },
      });
      return [
        { index: { _index: 'ubi_queries', _id: `a${n}` } },
        own,
        { index: { _index: 'ubi_events', _id: `b${n}` } },
        event('impression', 'p2', 1),
        { index: { _index: 'ubi_events', _id: `d${n}` } },
        event('impression', 'p1', 0),
        { index: { _index: 'ubi_events', _id: `e${n}` } },
        event('click', 'p1', 0),
      ];
    });
    const cases = [
      [
        'mind',
        await file('behaviors.tsv', mind.join('\n')),
        '40 events in 1 file: 20 exposures, 20 ',
      ],
      ['ga4', await file('ga4.json', jsonLines(ga4)), '20 events in 1 file: 10 exposures, 10 '],
      ['obp', await file('all.csv', obp.join('\n')), '40 events in 1 file: 20 exposures, 20 '],
      ['ubi', await file('bulk.ndjson', jsonLines(bulk)), '80 events in 1 file: 20 exposures, 20 '],
    ] as const;
    for (const [name, path, counted] of cases) {
      const { written, config } = await looked(name, [path]);
      expect(written['events']).toEqual({ mapping: name });
      expect(await counts([path], config)).toContain(counted);
    }
  });

  it('is not written where it would not work, and the error says why', async () => {
    const lists = many(20, (n) => ({
      at: iso(n),
      user: `u${n}`,
      ranker: 'm',
      products: [{ sku: 'a' }, { sku: 'b' }],
    }));
    const clicks = many(20, (n) => ({
      at: iso(100 + n),
      user: `u${n}`,
      sku: `sku-${n}`,
      event: 'click',
    }));
    const files = [
      await file('served.ndjson', jsonLines(lists)),
      await file('clicked.ndjson', jsonLines(clicks)),
    ];
    const config = join(folder, 'none.yaml');
    const { code, stderr } = await run(['doctor', '--files', ...files, '--out', config]);
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(
      /^unskew: not ready: no item of the interactions occurs in any list[^\n]*none\.yaml is not written$/,
    );
    expect(existsSync(config)).toBe(false);
  });
});

describe('the A/B test that doctor proposes', () => {
  /** A log in which each user sees lists of these models, and every second user clicks on each. */
  const log = (users: number, modelsOf: (user: number) => readonly string[]) =>
    jsonLines(
      many(users, (n) => n).flatMap((n) =>
        modelsOf(n).flatMap((model, m) => {
          const [at, id] = [START + 1000 * n + 100 * m, `l${n}-${m}`];
          const shared = { user: `u${n}` };
          const isShadow = model === 'shadow';
          const list = { ...shared, type: 'exposure', id, ts: at, model, items: ['a', 'b'] };
          return [
            isShadow ? { ...list, shown: false } : list,
            ...(n % 2 === 0 && !isShadow
              ? [
                  {
                    ...shared,
                    type: 'interaction',
                    id: `c${id}`,
                    ts: at + 9,
                    item: 'a',
                    exposure: id,
                  },
                ]
              : []),
          ];
        }),
      ),
    );

  /** The proposed experiment for users who were each served these models. */
  const proposed = (users: number, modelsOf: (user: number) => readonly string[]) => {
    const lists = many(users, (n) => n).flatMap((n) =>
      modelsOf(n).map((model) => ({ user: `u${n}`, model, isServed: model !== 'shadow' })),
    );
    const arms = armsOf(lists);
    return arms === undefined ? undefined : parse(experimentText(arms));
  };

  it('splits two models evenly, with a comment on the reason', async () => {
    const path = await file(
      'halves.ndjson',
      log(60, (n) => [n % 2 === 0 ? 'new' : 'old']),
    );
    const { written, config } = await looked('halves', [path]);
    expect(written).toEqual({ experiment: { split: { new: 0.5, old: 0.5 } } });
    expect(await readFile(config, 'utf8')).toMatch(
      /^# One model served each user, [^\n]*random\.$/m,
    );
  });

  it.each<[string, number, (user: number) => string[], Record<string, number>]>([
    // χ² = 2 · 12² / 60 = 4.8 of one degree of freedom: p = .028.
    ['72 and 48 users', 120, (n) => [n % 5 < 3 ? 'new' : 'old'], { new: 0.5, old: 0.5 }],
    ['three thirds', 60, (n) => ['abc'[n % 3]!], { a: 0.3334, b: 0.3333, c: 0.3333 }],
    [
      'halves beside a shadow model',
      60,
      (n) => ['shadow', n % 2 === 0 ? 'new' : 'old'],
      { new: 0.5, old: 0.5 },
    ],
  ])('has an even split for %s', (_, users, modelsOf, split) => {
    expect(proposed(users, modelsOf)).toEqual({ experiment: { split } });
  });

  it('is commented out if an even split is unlikely', async () => {
    // 90 and 30 users: χ² = 2 · 30² / 60 = 30, p = 4e-8.
    const path = await file(
      'uneven.ndjson',
      log(120, (n) => [n % 4 < 3 ? 'new' : 'old']),
    );
    const { written, config } = await looked('uneven', [path]);
    expect(written).toEqual({});
    expect(await readFile(config, 'utf8')).toMatch(
      /in unequal shares: new \(90\), old \(30\)\. [^\n]*\n# experiment:\n# {3}split:\n# {5}new: 0\.5\n/,
    );
  });

  it.each<[string, number, (user: number) => string[]]>([
    ['users see several models', 60, () => ['new', 'old']],
    ['there is one model', 60, () => ['new']],
    ['there are few users', 8, (n) => [n % 2 === 0 ? 'new' : 'old']],
  ])('is absent where %s', (_, users, modelsOf) => {
    expect(proposed(users, modelsOf)).toBeUndefined();
  });
});

it('evaluate names the doctor command where a file needs a mapping', async () => {
  const path = await file('foreign.csv', `who,when,what\nu,${iso(0)},a\n`);
  const lines = await file('foreign.ndjson', '{"who":"u","when":5}\n');
  for (const each of [path, lines]) {
    const { code, stderr } = await run(['evaluate', each]);
    expect(code).toBe(1);
    expect(stderr).toContain(`to make a mapping: unskew doctor --files ${each} --out unskew.yaml`);
  }
});
