import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeEvent } from '../../src/events/encode.js';
import type { Timing, Work } from './evaluate-run.js';
import type { BenchResult } from './result.js';
import { type SyntheticLog, syntheticLog } from './synthetic-log.js';

const HOUR = 3_600_000;
const START_TS = 1_750_000_000_000;
const ROUNDS = 2;
const RUN = fileURLToPath(new URL('evaluate-run.ts', import.meta.url));

/** What a session leaves, beside a list of each of three models; as `simulate` writes them. */
const SESSION = { listLength: 50, interactionsPerSession: 9 };

/**
 * `evaluate` with the defaults against `evaluate` with the papers' settings, each in a process of its
 * own as on the command line, in alternating rounds, best of each.
 */
export async function evaluateByDefault(interactions: number): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  try {
    const path = join(folder, 'events.ndjson');
    await writeEvents(path, interactions);
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

async function writeEvents(path: string, interactions: number): Promise<void> {
  const log = syntheticLog(
    {
      interactions,
      users: interactions / 10,
      items: 20_000,
      ...SESSION,
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
