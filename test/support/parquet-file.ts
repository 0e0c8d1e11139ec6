import { writeFile } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';

let connected: Promise<Awaited<ReturnType<DuckDBInstance['connect']>>> | undefined;

/** A connection to an engine in memory, one for a test file. */
export function duckdb() {
  connected ??= DuckDBInstance.create(':memory:', { threads: '1' }).then((db) => db.connect());
  return connected;
}

/** Writes what a query yields as Parquet. */
export async function writeQuery(path: string, query: string, options = ''): Promise<void> {
  await (await duckdb()).run(`copy (${query}) to '${path}' (format parquet${options})`);
}

/** Writes events as lines of JSON and as Parquet, with these columns. */
export async function writeBoth(
  path: string,
  events: readonly object[],
  columns: Readonly<Record<string, string>>,
  options = '',
): Promise<void> {
  // A table cannot leave a value out: that is a null in its column.
  const lines = events.map((event) => JSON.stringify({ value: null, ...event }));
  await writeFile(`${path}.ndjson`, lines.map((line) => `${line}\n`).join(''));
  const types = Object.entries(columns).map(([name, type]) => `"${name}": '${type}'`);
  const json = `read_json('${path}.ndjson', format='newline_delimited', columns={${types.join(', ')}})`;
  await writeQuery(`${path}.parquet`, `select * from ${json}`, options);
}

/** The columns of canonical events, as the engine names their types. */
export const EVENT_COLUMNS = {
  type: 'VARCHAR',
  id: 'VARCHAR',
  ts: 'BIGINT',
  user: 'VARCHAR',
  item: 'VARCHAR',
  model: 'VARCHAR',
  items: 'VARCHAR[]',
  action: 'VARCHAR',
  value: 'DOUBLE',
  exposure: 'VARCHAR',
  randomized: 'BOOLEAN',
  shown: 'BOOLEAN',
  sampled: 'BOOLEAN',
  candidates: 'BIGINT',
  scores: 'DOUBLE[]',
  propensities: 'DOUBLE[]',
  firstRank: 'INTEGER',
  request: 'VARCHAR',
  share: 'DOUBLE',
  depth: 'INTEGER',
  propensityOf: 'VARCHAR',
} as const;
