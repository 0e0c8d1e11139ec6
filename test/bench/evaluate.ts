import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { BenchResult } from './result.js';
import { monitorOptionsOf, type SyntheticLog, syntheticLog } from './synthetic-log.js';

/** As it is built: threads run what lies in dist. */
async function built<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../dist/${path}`, import.meta.url).href)) as Module;
}

const { openReader } = await built<typeof import('../../src/commands/decoding/open-reader.js')>(
  'commands/decoding/open-reader.js',
);
const { EventReader } =
  await built<typeof import('../../src/commands/read-events.js')>('commands/read-events.js');
const { Decoder } = await built<typeof import('../../src/events/decode.js')>('events/decode.js');
const { Interner } = await built<typeof import('../../src/state/interner.js')>('state/interner.js');
const { Evaluation } =
  await built<typeof import('../../src/stream/evaluation.js')>('stream/evaluation.js');
const HOUR = 3_600_000;
const START_TS = 1_750_000_000_000;
const ROUNDS = 3;

/**
 * `evaluate` of one file of events, three models' lists among them, against reading and decoding
 * the same file alone in one thread, in alternating rounds, fastest of each. `evaluate` has the file
 * decoded in threads, so the time that they take alone is told as well.
 */
export async function benchEvaluate(interactions = 3_000_000): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  try {
    const path = join(folder, 'events.ndjson');
    await writeEvents(path, interactions);
    const decoding: Timing[] = [];
    const inThreads: Timing[] = [];
    const evaluating: Timing[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      decoding.push(await timed(() => decodeHere(path)));
      inThreads.push(await timed(() => decode(path, () => undefined)));
      evaluating.push(await timed(() => evaluate(path)));
    }
    const [alone, threads, whole] = [decoding, inThreads, evaluating].map(fastest);
    const megabytes = (await stat(path)).size / 1e6;
    const ratio = whole!.ms / alone!.ms;
    return [
      {
        id: 'evaluate.file_vs_decoding',
        value: ratio,
        unit: 'ratio',
        target: '<= 1.3',
        ok: ratio <= 1.3,
        detail: `${interactions.toLocaleString('en')} interactions with their lists, ${megabytes.toFixed(0)} MB: ${told(whole!)}; decoding alone ${told(alone!)} in one thread, ${told(threads!)} in those of evaluate (${availableParallelism()} processors)`,
      },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Beside the time that passed the processors' time, which shows whether others kept them busy. */
interface Timing {
  readonly ms: number;
  readonly cpuMs: number;
}

async function timed(work: () => Promise<void>): Promise<Timing> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}

function fastest(timings: readonly Timing[]): Timing {
  return timings.reduce((best, timing) => (timing.ms < best.ms ? timing : best));
}

function told({ ms, cpuMs }: Timing): string {
  return `${(ms / 1000).toFixed(2)} s (${(cpuMs / 1000).toFixed(2)} s of processors)`;
}

type Take = (interactions: InteractionColumns, exposures: ExposureColumns) => void;

const ids = () => ({ items: new Interner(), models: new Interner() });

const options = (known = ids(), users = new Interner()) => ({
  decoder: { maxFutureMs: HOUR },
  maxEventBytes: 1 << 20,
  ids: known,
  users,
  maxFaults: 0,
  io: { isTerminal: false, signal: new AbortController().signal } as never,
});

async function decodeHere(path: string): Promise<void> {
  const reader = new EventReader({ ...options(), decoder: new Decoder({ maxFutureMs: HOUR }) });
  await reader.read([path], new Outcomes(), () => undefined);
}

async function decode(path: string, take: Take, known = ids()): Promise<void> {
  const reader = await openReader([path], options(known));
  try {
    await reader.read([path], new Outcomes(), take);
  } finally {
    await reader.close();
  }
}

async function evaluate(path: string): Promise<void> {
  const known = ids();
  const evaluation = new Evaluation(monitorOptionsOf(HOUR, 60_000), known);
  const outcomes = new Outcomes();
  const take: Take = (interactions, exposures) =>
    evaluation.accept('events', interactions, exposures, outcomes);
  await decode(path, take, known);
  const { windows } = runAtOnce(evaluation.result());
  if (windows[0]!.results.length === 0) throw new Error('Nothing was evaluated.');
}

async function writeEvents(path: string, interactions: number): Promise<void> {
  const log = syntheticLog(
    {
      interactions,
      users: interactions / 10,
      items: 20_000,
      interactionsPerSession: 15,
      listLength: 20,
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
