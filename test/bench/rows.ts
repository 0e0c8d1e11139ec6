import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeQuery } from '../support/parquet-file.js';
import type { BenchResult } from './result.js';

const ROWS = Number(process.env['ROWS'] ?? 20_000_000);
const ROWS_A_USER = 100;
const ITEMS = 100_000;
/** Rows that are kept: beyond, users are sampled. */
const KEPT = 50_000_000;
const FILES = 8;
const GIB = 2 ** 30;
const BOUNDS = { perSecond: 5_000_000, bytes: 4 * GIB };
const MAIN = join(import.meta.dirname, '../../dist/main.js');
/** Runs a command and says on standard error what it took. */
const MEASURED = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  console.error('cpu ' + (user + system) / 1e6 + ' bytes ' + 1024 * process.resourceUsage().maxRSS);
}); await import(${JSON.stringify(MAIN)})`;

/**
 * `evaluate --rows` and `export --rows` of `ROWS` rows (20 million; 200 with ROWS=200000000) of
 * 100 rows a user and lists of three models, as an engine writes them. Rows a second of the
 * processors' time, estimates too, and the memory of the whole process.
 */
export async function benchRows(): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  try {
    for (let file = 0; file < FILES; file++) {
      await writeRows(join(folder, `rows-${file}.parquet`), file);
    }
    await writeQuery(join(folder, 'popularity.parquet'), COUNTS);
    const limits = ['--set', `limits.rows=${KEPT}`];
    const numbers = ['--metrics', 'recall', '--k', '10', '--estimators', 'naive,snips'];
    const evaluated = await taken(['evaluate', '--rows', folder, ...numbers, '--json', ...limits]);
    const drawing = ['export', '--rows', folder, '--strategy', 'wtd_h', '--size', '100000'];
    const drawn = await taken([...drawing, '--format', 'parquet', '--out', join(folder, 'set')]);
    return [speed('evaluate', evaluated), memory('evaluate', evaluated), memory('export', drawn)];
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Taken {
  readonly cpu: number;
  readonly bytes: number;
}

async function taken(args: readonly string[]): Promise<Taken> {
  const run = ['--input-type=module', '--max-old-space-size=3500', '--eval', MEASURED, 'unskew'];
  const { stderr } = await promisify(execFile)(process.execPath, [...run, ...args], {
    maxBuffer: GIB,
  });
  const [, cpu, bytes] = /cpu ([\d.]+) bytes (\d+)/.exec(stderr)!;
  return { cpu: Number(cpu), bytes: Number(bytes) };
}

function speed(what: string, { cpu }: Taken): BenchResult {
  const value = ROWS / cpu;
  return {
    id: `rows.${what}`,
    value,
    unit: 'rows/s',
    target: `>= ${BOUNDS.perSecond}`,
    ok: value >= BOUNDS.perSecond,
    detail: `${ROWS.toLocaleString('en')} rows in ${cpu.toFixed(1)} s of the processors' time, estimates too`,
  };
}

function memory(what: string, { bytes }: Taken): BenchResult {
  return {
    id: `rows.${what}_memory`,
    value: bytes / GIB,
    unit: 'GiB',
    target: '<= 4',
    ok: bytes <= BOUNDS.bytes,
    detail: `${ROWS.toLocaleString('en')} rows, the whole process`,
  };
}

const drawn = (...of: string[]) => `(hash(${of.join(', ')}) % 1000000007) / 1000000007`;

/** Rows of users who stand in this file alone. */
async function writeRows(path: string, file: number): Promise<void> {
  const each = Math.ceil(ROWS / FILES);
  const rank = (model: number) => `(hash(n, ${model}) % 60)::int`;
  const ranks = [1, 2, 3].map((m) => `if(${rank(m)} > 50, 0, ${rank(m)})`);
  await writeQuery(
    path,
    `select 'x' || n as id, 'user-' || n // ${ROWS_A_USER} as "user",
      'item-' || floor(${ITEMS} * pow(${drawn('n', '7')}, 3))::int as item,
      1750000000000 + n % ${ROWS_A_USER} * 60000 as ts, n % 5 > 0 as positive,
      false as randomized, false as drawn, false as named, null::varchar as cause,
      if(n % 3 = 0, 'a', 'b') as served, null::double as propensity, 'click' as action,
      1::double as value, ['a', 'b', 'c'] as models, [${ranks.join(', ')}] as ranks,
      [50, 50, 50] as lengths, [0, 0, 0] as candidates
    from range(${file * each}, ${Math.min(ROWS, (file + 1) * each)}) t(n)`,
    ', row_group_size 500000',
  );
}

const COUNTS = `
  select 'exposures' as measure, m as model, 'item-' || i as item, null::varchar as "user",
    null::bigint as until, 1 + (1e6 / (1 + i))::bigint as n
  from range(${ITEMS}) t(i), (values ('a'), ('b')) v(m)
  union all select 'lists', m, null, null, null, 1000000 from (values ('a'), ('b')) v(m)`;
