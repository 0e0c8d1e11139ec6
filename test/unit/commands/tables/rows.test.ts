import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { duckdb, writeQuery } from '../../../support/parquet-file.js';
import { drawnLog, tablesOf, writeLog } from '../../../support/rows-log.js';
import { run } from '../../cli/fake-io.js';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const evaluate = (...args: string[]) => run(['evaluate', ...args], BODIES);

async function queryOf(kind: string, ...flags: string[]): Promise<string> {
  const asked = ['sql', '--dialect', 'duckdb', '--kind', kind, ...flags];
  const { code, stdout, stderr } = await run(asked, BODIES);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** A folder of tables, some of them changed or left out. */
async function made(
  name: string,
  change: (kind: string, query: string) => string | undefined = (_, query) => query,
): Promise<string> {
  await mkdir(at(name));
  for (const kind of ['rows', 'popularity', 'lists']) {
    const query = change(kind, await queryOf(kind));
    if (query !== undefined) await writeQuery(at(name, `${kind}.parquet`), query);
  }
  return at(name);
}

const changed = (name: string, expression: string) =>
  made(name, (kind, query) =>
    kind === 'rows' ? `select * replace (${expression}) from (${query})` : query,
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-rows-'));
  const users = Array.from({ length: 8 }, (_, n) =>
    drawnLog(n + 1).map((event) => ({
      ...event,
      id: `${n} ${event.id}`,
      user: `${n} ${event['user']}`,
    })),
  );
  await writeLog(at('log.ndjson'), users.flat());
  await (await duckdb()).run(tablesOf(at('log.ndjson')));
});
afterAll(() => rm(folder, { recursive: true }));

describe('row tables', () => {
  it('are evaluated with a note on what they cannot report', async () => {
    const { stderr } = await evaluate('--rows', await made('whole'), '--json');
    expect(stderr).toBe('note: not reported, because rows do not contain them: requests\n');
    const without = await made('without', (kind, query) => (kind === 'lists' ? undefined : query));
    const dimensions = 'segments.dimensions={"country":"user"}';
    const { stderr: more } = await evaluate('--rows', without, '--set', dimensions, '--json');
    expect(more).toContain(
      'requests, segments, rewards of served lists (no file has the table lists)',
    );
  });

  it('follow the settings given to unskew sql', async () => {
    const reader = async (...flags: string[]) => {
      const query = `select count(*) filter (positive) as n from (${await queryOf('rows', ...flags)})`;
      return Number((await (await duckdb()).runAndReadAll(query)).getRowObjects()[0]!['n']);
    };
    const usual = await reader();
    expect(await reader('--positive', '5')).toBeLessThan(usual);
    expect(await reader('--actions', '{"click":0}')).toBeLessThan(usual);
  });

  it('are sampled by user above limits.rows, with unchanged popularity', async () => {
    const whole = JSON.parse((await evaluate('--rows', at('whole'), '--json')).stdout);
    const limited = ['--set', 'limits.rows=60', '--json'];
    const sampled = JSON.parse((await evaluate('--rows', at('whole'), ...limited)).stdout);
    expect(whole.sampling.ratio).toBe(1);
    expect(sampled.sampling.ratio).toBeLessThan(1);
    expect(sampled.counts.interactions).toBeLessThanOrEqual(60);
    expect(sampled.counts.interactions).toBeGreaterThan(0);
    expect(sampled.popularity).toEqual(whole.popularity);
  });

  it.each([
    [
      'ts',
      '-ts as ts',
      /row \d+: the row is older than the previous row of its user: sort by user and/,
    ],
    ['user', 'nullif(user, user) as user', /row 1: user is not an id/],
    ['positive', 'nullif(positive, positive) as positive', /row 1: positive is neither true/],
    ['item', "repeat('i', 600) as item", /row 1: item is not an id/],
    ['ranks', 'list_transform(ranks, x -> x + 20) as ranks', /row \d+: rank 2\d of \d items/],
    ['lengths', 'ranks[2:] as lengths', /row \d+: models, ranks, lengths and candidates differ/],
    ['ranks2', 'list_transform(ranks, x -> null::int) as ranks', /row \d+: models, ranks, lengths/],
    [
      'models',
      'list_transform(models, x -> x || id) as models',
      /more models than models.max \(16\)/,
    ],
    ['propensity', '2.0 as propensity', /row 1: propensity 2$/m],
    ['cause', '1.5 as cause', /column cause holds (numbers|decimals), which cannot be/],
  ])('with a wrong %s are refused in one line', async (name, expression, line) => {
    const { code, stderr } = await evaluate('--rows', await changed(`wrong-${name}`, expression));
    expect(stderr).toMatch(line);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('are refused if one is missing or is not such a table', async () => {
    const none = await made('none', (kind, query) => (kind === 'rows' ? query : undefined));
    const { code, stderr } = await evaluate('--rows', none);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        'no file has the table popularity; make it with unskew sql --kind pop',
      ),
    ]);
    await mkdir(at('other'));
    await writeQuery(at('other', 'a.parquet'), 'select 1 as a');
    expect((await evaluate('--rows', at('other'))).stderr).toMatch(
      /it is not a table of unskew\/rows@1. These tables are rows \(user, .*its columns are a/,
    );
    await writeFile(at('other', 'a.parquet'), 'PAR1');
    expect((await evaluate('--rows', at('other'))).stderr).toMatch(/it is not a Parquet file/);
    const set = ['export', '--rows', at('none'), '--train', at('gone.ndjson'), '--out', at('s')];
    expect((await run(set, BODIES)).stderr).toMatch(/gone.ndjson/);
    const unknown = await made('unknown', (kind, query) =>
      kind === 'popularity' ? query.replaceAll("'listed'", "'list'") : query,
    );
    expect((await evaluate('--rows', unknown)).stderr).toMatch(/measure "list" is not known/);
  });

  it.each([
    [
      ['--positive', '2'],
      /--positive has no effect here: positive.minValue is already part of the rows/,
    ],
    [
      ['--set', 'attribution.ttl=1h'],
      /--set has no effect here: attribution.ttl is already part of the rows/,
    ],
    [['--train', 'a.ndjson'], /a.ndjson: --rows cannot be combined with event files/],
    [['--metrics', 'mae'], /rows contain no ratings, which mae need/],
  ])('are refused together with %s', async (flags, line) => {
    const { code, stderr } = await evaluate('--rows', at('whole'), ...flags);
    expect([code, stderr]).toEqual([2, expect.stringMatching(line)]);
    const beside = [
      'export',
      '--rows',
      at('whole'),
      '--events',
      at('log.ndjson'),
      '--out',
      at('s'),
    ];
    expect((await run(beside, BODIES)).stderr).toMatch(/--events would have no effect beside/);
  });
});
