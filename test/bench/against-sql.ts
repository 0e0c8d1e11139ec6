import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdb } from '../support/parquet-file.js';
import { inTurns, told } from './evaluate.js';
import type { BenchResult } from './result.js';

const START_TS = 1_750_000_000_000;
const ITEMS = 20_000;
const BOUNDS = { json: 0.75, parquet: 0.9, csv: 1.2 };
const ROUNDS = 2;
/** Both add in another order. */
const MOST_OFF = 1e-9;

/** A number in [0, 1) that follows from these columns. */
const drawn = (...of: string[]) => `(hash(${of.join(', ')}) % 1000000007) / 1000000007`;
const item = (draw: string) => `floor(${ITEMS} * pow(${draw}, 3))::int`;
const IDS = {
  short: (prefix: string, n: string) => `'${prefix}' || ${n}`,
  uuid: (prefix: string, n: string) => `md5('${prefix}' || ${n})::uuid::varchar`,
};
const ORDERS = { random: drawn('n', '1'), sorted: 'n / interactions' };

/**
 * `evaluate` against one query of DuckDB for the same values, two means by user of two estimators,
 * which it gives without their intervals, with two threads each: of lists of three models with 20
 * items each and 15 interactions a user, from JSON, Parquet and CSV, users in random order and sorted,
 * ids short and UUIDs.
 */
export async function benchAgainstSql(interactions = 2_000_000): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  try {
    const results: BenchResult[] = [];
    for (const ids of ['short', 'uuid'] as const) {
      for (const order of ['random', 'sorted'] as const) {
        await writeLogs(folder, interactions, ids, order);
        for (const format of ['json', 'parquet', 'csv'] as const) {
          results.push(await measured(folder, format, `${ids}_ids_${order}`));
        }
      }
    }
    return results;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measured(
  folder: string,
  format: keyof typeof BOUNDS,
  log: string,
): Promise<BenchResult> {
  const paths = ['lists', 'interactions'].map((name) => join(folder, `${name}.${format}`));
  const { values: ours, sql } = await inTurns(paths.join(), ['values', 'sql'], ROUNDS);
  const off = Math.max(
    ...ours.values!.map((value, n) => Math.abs(value - sql.values![n]!) / sql.values![n]!),
  );
  if (!(off < MOST_OFF) || ours.values!.length !== sql.values!.length) {
    throw new Error(`Other values than those of SQL: ${ours.values} and ${sql.values}.`);
  }
  const value = ours.cpuMs / sql.cpuMs;
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const megabytes = (sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(0);
  return {
    id: `evaluate.to_sql.${format}_${log}`,
    value,
    unit: 'ratio',
    target: `<= ${BOUNDS[format]}`,
    ok: value <= BOUNDS[format],
    detail: `time of processors, ${megabytes} MB: ${told(ours)}, DuckDB ${told(sql)}, so ${(ours.ms / sql.ms).toFixed(2)} of the time that passed`,
  };
}

async function writeLogs(
  folder: string,
  interactions: number,
  ids: keyof typeof IDS,
  order: keyof typeof ORDERS,
): Promise<void> {
  const users = Math.ceil(interactions / 15);
  const id = IDS[ids];
  const draws = `list_transform(range(80), j -> ${item(drawn('u', 'm', 'j'))})`;
  const lists = `select 'exposure' as "type", ${id('e', `(${users} * m + u)`)} as id,
      ${START_TS} + m as ts, ${id('u', 'u')} as "user", 'm' || m as model,
      list_transform(list_distinct(${draws})[:20], i -> ${id('i', 'i')}) as items, false as shown
    from range(3) as models(m), range(${users}) as users(u)`;
  const user = `floor(${users} * ${ORDERS[order].replace('interactions', String(interactions))})::int`;
  const clicks = `select 'interaction' as "type", ${id('c', 'n')} as id,
      ${START_TS} + 10 + n as ts, ${id('u', user)} as "user",
      ${id('i', item(drawn('n', '2')))} as item, 1 as value
    from range(${interactions}) as rows(n)`;
  const engine = await duckdb();
  for (const [name, query, cells] of [
    ['lists', lists, '* replace (to_json(items) as items)'],
    ['interactions', clicks, '*'],
  ]) {
    const path = join(folder, name!);
    await engine.run(`copy (${query}) to '${path}.json' (format json)`);
    await engine.run(`copy (${query}) to '${path}.parquet' (format parquet, codec zstd)`);
    await engine.run(`copy (select ${cells} from (${query})) to '${path}.csv' (header)`);
  }
}
