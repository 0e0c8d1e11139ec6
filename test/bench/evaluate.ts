import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeEvent } from '../../src/events/encode.js';
import { writeQuery } from '../support/parquet-file.js';
import type { Timing, Work } from './evaluate-run.js';
import type { BenchResult } from './result.js';
import { type SyntheticLog, syntheticLog } from './synthetic-log.js';

const HOUR = 3_600_000;
const START_TS = 1_750_000_000_000;
const ROUNDS = 2;
const RUN = fileURLToPath(new URL('evaluate-run.ts', import.meta.url));

/** What a session leaves: a list of each of three models, and interactions. */
const LOGS = {
  // As `simulate` writes them.
  lists: { listLength: 50, interactionsPerSession: 9 },
  interactions: { listLength: 20, interactionsPerSession: 15 },
};

/**
 * `evaluate` of one file of events (2 and 4 GB) against reading and decoding the same file alone in
 * one thread, each in a process of its own as on the command line, in alternating rounds, best of
 * each.
 */
export async function benchEvaluate(interactions = 10_000_000): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const log of ['lists', 'interactions'] as const) {
    results.push(await against(log, interactions));
  }
  results.push(await fromParquet(interactions / 5));
  return results;
}

/** `evaluate` of the same events from Parquet, as an engine writes them, and from lines of JSON. */
async function fromParquet(interactions: number): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  try {
    const [lines, table] = [join(folder, 'events.ndjson'), join(folder, 'events.parquet')];
    await writeEvents(lines, interactions, LOGS.interactions);
    await writeQuery(table, `select * from read_json('${lines}', format='newline_delimited')`);
    const { evaluate: json } = await inTurns(lines, ['evaluate'], 3);
    const { evaluate: parquet } = await inTurns(table, ['evaluate'], 3);
    const value = parquet.cpuMs / json.cpuMs;
    const megabytes = async (path: string) => ((await stat(path)).size / 1e6).toFixed(0);
    return {
      id: 'evaluate.from_parquet',
      value,
      unit: 'ratio',
      target: '<= 1',
      ok: value <= 1,
      detail: `time of processors, ${interactions.toLocaleString('en')} interactions: ${told(parquet)} from ${await megabytes(table)} MB of Parquet, ${told(json)} from ${await megabytes(lines)} MB of JSON`,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `evaluate` with the defaults against `evaluate` with the papers' settings, likewise. */
export async function evaluateByDefault(interactions: number): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  try {
    const path = join(folder, 'events.ndjson');
    await writeEvents(path, interactions, LOGS.lists);
    const works = ['evaluate', 'evaluate-by-default'] as const;
    const { evaluate: papers, 'evaluate-by-default': defaults } = await inTurns(path, works, 5);
    const value = defaults.ms / papers.ms;
    const detail = `${interactions.toLocaleString('en')} interactions: ${told(defaults)}; with the papers' settings ${told(papers)}`;
    return {
      id: 'defaults.evaluate',
      value,
      unit: 'ratio',
      target: '<= 1.15',
      ok: value <= 1.15,
      detail,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The fastest of each. */
export async function inTurns<W extends Work>(
  path: string,
  works: readonly W[],
  rounds = ROUNDS,
): Promise<Record<W, Timing>> {
  const timings = works.map((work) => ({ work, all: [] as Timing[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { work, all } of timings) all.push(await run(work, path));
  }
  return Object.fromEntries(timings.map(({ work, all }) => [work, fastest(all)])) as Record<
    W,
    Timing
  >;
}

async function against(log: keyof typeof LOGS, interactions: number): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  try {
    const path = join(folder, 'events.ndjson');
    await writeEvents(path, interactions, LOGS[log]);
    const { decode: alone, evaluate: whole } = await inTurns(path, ['decode', 'evaluate']);
    const megabytes = (await stat(path)).size / 1e6;
    const ratio = whole.ms / alone.ms;
    const { interactionsPerSession, listLength } = LOGS[log];
    return {
      id: `evaluate.log_of_${log}`,
      value: ratio,
      unit: 'ratio',
      target: '<= 1.3',
      ok: ratio <= 1.3,
      detail: `${interactions.toLocaleString('en')} interactions, ${interactionsPerSession} to three lists of ${listLength} items, ${megabytes.toFixed(0)} MB: ${told(whole)}; decoding alone ${told(alone)} (${availableParallelism()} processors)`,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function run(work: Work, path: string): Promise<Timing> {
  const child = fork(RUN, [work, path]);
  const [timing] = (await once(child, 'message')) as [Timing];
  await once(child, 'exit');
  return timing;
}

function fastest(timings: readonly Timing[]): Timing {
  return timings.reduce((best, timing) => (timing.ms < best.ms ? timing : best));
}

export function told({ ms, cpuMs }: Timing): string {
  return `${(ms / 1000).toFixed(2)} s (${(cpuMs / 1000).toFixed(2)} s of processors)`;
}

async function writeEvents(
  path: string,
  interactions: number,
  session: (typeof LOGS)[keyof typeof LOGS],
): Promise<void> {
  const log = syntheticLog(
    {
      interactions,
      users: interactions / 10,
      items: 20_000,
      ...session,
      spanMs: HOUR,
    },
    5,
  );
  const file = await open(path, 'w');
  for (const batch of log.batches) await file.write(linesOf(log, batch));
  await file.close();
}

function linesOf(
  { ids: { items, models }, userIds }: SyntheticLog,
  { interactions: rows, exposures: lists }: SyntheticLog['batches'][number],
): string {
  const lines: string[] = [];
  for (let r = 0; r < lists.length; r++) {
    const own = lists.items.subarray(lists.listStart[r], lists.listStart[r + 1]);
    lines.push(
      encodeEvent({
        type: 'exposure',
        id: idOf('exp', lists.idHigh[r]!, lists.idLow[r]!),
        ts: START_TS + lists.ts[r]!,
        user: userIds.text(lists.user[r]!),
        model: models.text(lists.model[r]!),
        items: Array.from(own, (item) => items.text(item)),
      }),
    );
  }
  for (let r = 0; r < rows.length; r++) {
    lines.push(
      encodeEvent({
        type: 'interaction',
        id: idOf('evt', rows.idHigh[r]!, rows.idLow[r]!),
        ts: START_TS + rows.ts[r]!,
        user: userIds.text(rows.user[r]!),
        item: items.text(rows.item[r]!),
      }),
    );
  }
  return `${lines.join('\n')}\n`;
}

function idOf(prefix: string, high: number, low: number): string {
  return `${prefix}-${((high >>> 0) * 4_294_967_296 + (low >>> 0)).toString(16).padStart(16, '0')}`;
}
