import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ParquetEncoder } from '../../../src/adapters/parquet/parquet.js';
import type { SetEncoder } from '../../../src/export/set-encoder.js';
import { CsvEncoder, NdjsonEncoder, SetRows } from '../../../src/export/set-encoder.js';

/** Ids that spreadsheets, shells and careless writers take for something else. */
const HOSTILE = [
  '=1+1',
  '@SUM(A1:A9)',
  '-2+3',
  'two\nlines',
  'carriage\r\nreturn',
  'a "quoted" one',
  "single 'quotes'",
  'comma, semicolon; tab\t',
  '👩‍👩‍👧 family',
  '\ufeffbegins with a mark',
  '\0 and \u2028',
  ' spaces ',
  '',
  'NULL',
  '007',
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-formats-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two batches, so that there are two row groups. */
function written(name: string, encoder: SetEncoder): string {
  const parts = [encoder.head()];
  const rows = new SetRows();
  for (let n = 0; n < 2 * HOSTILE.length; n++) {
    rows.user.push(HOSTILE[n % HOSTILE.length]);
    rows.item.push(`i${n}`);
    rows.ts.push(1_750_000_000_123 + n);
    rows.value.push(n - 0.5);
    rows.action.push('click');
    rows.weight.push(1 / (n + 3));
    rows.inclusion.push(1 / (n + 1));
    rows.userSide.push(1e-12);
    rows.itemSide.push(3e10);
    if (n === HOSTILE.length) {
      parts.push(encoder.rows(rows));
      rows.clear();
    }
  }
  parts.push(encoder.rows(rows), encoder.tail());
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const ids = (rows: Record<string, unknown>[]) => rows.map(({ user }) => user);
const TWICE = [...HOSTILE, ...HOSTILE];
const inHex = (id: string) => Buffer.from(id).toString('hex').toUpperCase();

describe('a set in Parquet', () => {
  it('has columns that DuckDB reads as text, UTC timestamps and doubles', async () => {
    const path = written('types.parquet', new ParquetEncoder('1.2.3'));
    const rows = await query(`DESCRIBE SELECT * FROM '${path}'`);
    expect(rows.map((row) => [row['column_name'], row['column_type']])).toEqual([
      ['user', 'VARCHAR'],
      ['item', 'VARCHAR'],
      ['ts', 'TIMESTAMP WITH TIME ZONE'],
      ['value', 'DOUBLE'],
      ['action', 'VARCHAR'],
      ['weight', 'DOUBLE'],
      ['inclusion_probability', 'DOUBLE'],
      ['w_user', 'DOUBLE'],
      ['w_item', 'DOUBLE'],
    ]);
    const [meta] = await query(
      `SELECT created_by, num_rows, num_row_groups FROM parquet_file_metadata('${path}')`,
    );
    expect(meta).toMatchObject({ created_by: 'unskew version 1.2.3', num_rows: '30' });
    expect(Number(meta['num_row_groups'])).toBe(2);
  });

  it('gives DuckDB the same sums, timestamps and ids', async () => {
    const path = written('values.parquet', new ParquetEncoder('1.2.3'));
    const [sums] = await query(
      `SELECT count(*) AS n, sum(value) AS value, max(epoch_ms(ts)) AS ts, sum(w_item) AS side FROM '${path}'`,
    );
    expect(sums).toEqual({ n: '30', value: 420, ts: '1750000000152', side: 9e11 });
    // As bytes: the binding's own decoder drops a byte order mark.
    expect(ids(await query(`SELECT hex(user) AS user FROM '${path}'`))).toEqual(TWICE.map(inHex));
  });
});

describe('a set in CSV', () => {
  it('gives an RFC 4180 reader the same ids', async () => {
    const path = written('set.csv', new CsvEncoder());
    const reader = `read_csv('${path}', header = true, quote = '"', escape = '"', all_varchar = true)`;
    const rows = await query(`SELECT hex(user) AS user, value FROM ${reader}`);
    // Where nothing stands between the quotes DuckDB takes it for nothing.
    expect(ids(rows).map((hex) => hex ?? '')).toEqual(TWICE.map(inHex));
    expect(rows.map((row) => Number(row['value']))).toEqual(TWICE.map((_, n) => n - 0.5));
    const text = readFileSync(path, 'utf8');
    for (const id of HOSTILE) expect(text).toContain(`"${id.replaceAll('"', '""')}"`);
  });
});

describe('a set in NDJSON', () => {
  it('has one object per line, with the same ids', () => {
    const lines = readFileSync(written('set.ndjson', new NdjsonEncoder()), 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(ids(rows)).toEqual(TWICE);
    expect(Object.keys(rows[0])).toEqual([
      'user',
      'item',
      'ts',
      'value',
      'action',
      'weight',
      'inclusion_probability',
      'w_user',
      'w_item',
    ]);
    expect(rows[1]['weight']).toBe(1 / 4);
  });
});
