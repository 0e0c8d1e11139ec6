import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../src/commands/cli/bodies.js';
import {
  type Dialect,
  KINDS,
  rowSettings,
  rowsQuery,
} from '../../src/commands/files/rows-query.js';
import { pythonProgram } from '../nightly/python-program.js';
import { smallOptions } from '../support/log.js';
import { duckdb, writeQuery } from '../support/parquet-file.js';
import { drawnLog, TTL_MINUTES, tablesOf, writeLog } from '../support/rows-log.js';
import { run } from '../unit/cli/fake-io.js';

const ACTIONS = { view: 0, click: 1, purchase: 5 };
const MINUTE = 60_000;
const SETTINGS = rowSettings(
  smallOptions({
    attributionTtlMs: TTL_MINUTES * MINUTE,
    actions: ACTIONS,
    tickMs: MINUTE,
    windows: [{ name: '1h', ms: 60 * MINUTE }],
    popularity: { of: 'positive', horizonMs: 1500 * MINUTE, caused: 'ignore', userCap: 3 },
  }),
);
const LOGS = 250;
const CONF = '--conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=4';
const DEPLOY = join(import.meta.dirname, '../../deploy/rows');
const KILLED = join(import.meta.dirname, '../support/killed-task.py');

/**
 * Random logs in one, each of users and events of its own: rows are by user, so those of
 * the whole are those of all.
 */
function joinedLogs() {
  return Array.from({ length: LOGS }, (_, seed) =>
    drawnLog(seed + 1).map((event) => ({
      ...event,
      id: `${seed} ${event.id}`,
      user: `${seed} ${event['user']}`,
      ...(event['exposure'] === undefined ? {} : { exposure: `${seed} ${event['exposure']}` }),
    })),
  ).flat();
}

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-engines-'));
  const events = at('events.ndjson');
  await writeLog(events, joinedLogs());
  await (await duckdb()).run(tablesOf(events));
  for (const name of ['interactions', 'exposures']) {
    await mkdir(at('log', name), { recursive: true });
    await writeQuery(at('log', name, 'all.parquet'), `select * from ${name}`);
  }
  await mkdir(at('duckdb'));
  for (const kind of KINDS) {
    await writeQuery(at('duckdb', `${kind}.parquet`), rowsQuery('duckdb', kind, SETTINGS));
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function writeQueries(dialect: Dialect, into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const kind of KINDS) {
    await writeFile(join(into, `${kind}.sql`), rowsQuery(dialect, kind, SETTINGS));
  }
}

/** How many rows of either table the other one lacks. */
async function differing(one: string, other: string): Promise<number> {
  const lacking = (a: string, b: string) =>
    `select count(*) from (select * from '${a}' except all select * from '${b}')`;
  const query = `select (${lacking(one, other)}) + (${lacking(other, one)}) as n`;
  const reader = await (await duckdb()).runAndReadAll(query);
  return Number(reader.getRowObjects()[0]!['n']);
}

async function expectSame(tables: string, files: string): Promise<void> {
  for (const kind of KINDS) {
    const other = at(tables, files.replace('KIND', kind));
    expect(await differing(at('duckdb', `${kind}.parquet`), other), kind).toBe(0);
  }
}

describe('tables computed by other engines', () => {
  it('equal those of DuckDB with Spark, also after kills, and give the same numbers', async () => {
    const python = pythonProgram('pyspark==4.0.1', 'python');
    await writeQueries('spark', at('spark-queries'));
    const job = [join(DEPLOY, 'spark.py'), at('log'), at('spark-queries')];
    const env = {
      ...process.env,
      PYSPARK_SUBMIT_ARGS: `--master local[2] ${CONF} pyspark-shell`,
      PYSPARK_PYTHON: python,
      SPARK_LOCAL_IP: '127.0.0.1',
      PATH: `${dirname(python)}:${process.env['PATH']}`,
    };
    execFileSync(python, [...job, at('spark')], { env, stdio: 'inherit' });
    await expectSame('spark', 'KIND/*.parquet');
    await mkdir(at('marks'));
    execFileSync(python, [KILLED, at('marks'), ...job, at('killed')], { env, stdio: 'inherit' });
    expect((await readdir(at('marks'))).length).toBeGreaterThan(0);
    await expectSame('killed', 'KIND/*.parquet');
    const asked = ['--metrics', 'recall,mrr', '--estimators', 'naive,snips,wtd_h', '--json'];
    const ofRows = await run(['evaluate', '--rows', at('killed'), ...asked], BODIES);
    const wantedRows = await run(['evaluate', '--rows', at('duckdb'), ...asked], BODIES);
    expect(ofRows.code, ofRows.stderr).toBe(0);
    const values = ({ stdout }: typeof ofRows) =>
      JSON.parse(stdout).results.flatMap((row: Record<string, number | null>) => [
        row['value'],
        row['stdErr'],
      ]);
    const wanted = values(wantedRows);
    expect(values(ofRows)).toHaveLength(wanted.length);
    values(ofRows).forEach((value: number | null, n: number) => {
      if (wanted[n] === null) expect(value).toBeNull();
      else expect(Math.abs(value! - wanted[n])).toBeLessThan(1e-12);
    });
  });

  it('equal those of DuckDB with dbt', async () => {
    const dbt = pythonProgram('dbt-duckdb==1.9.6', 'dbt', 'dbt-core==1.10.*');
    await writeQueries('duckdb', at('dbt', 'models'));
    for (const file of ['dbt_project.yml', 'profiles.yml']) {
      await copyFile(join(DEPLOY, 'dbt', file), at('dbt', file));
    }
    await mkdir(at('by-dbt'));
    const env = { ...process.env, LOG: at('log'), ROWS: at('by-dbt') };
    execFileSync(dbt, ['run', '--project-dir', at('dbt'), '--profiles-dir', at('dbt')], {
      env,
      stdio: 'inherit',
    });
    await expectSame('by-dbt', 'KIND.parquet');
  });
});
