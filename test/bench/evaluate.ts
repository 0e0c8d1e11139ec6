import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { EventReader } from '../../src/commands/read-events.js';
import type { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Interner } from '../../src/state/interner.js';
import { Evaluation } from '../../src/stream/evaluation.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { BenchResult } from './result.js';
import { monitorOptionsOf, type SyntheticLog, syntheticLog } from './synthetic-log.js';

const HOUR = 3_600_000;
const START_TS = 1_750_000_000_000;
const ROUNDS = 3;

/**
 * `evaluate` of one file of events, three models' lists among them, against reading and decoding
 * the same file alone, in alternating rounds, best of each.
 */
export async function benchEvaluate(interactions = 1_000_000): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  try {
    const path = join(folder, 'events.ndjson');
    await writeEvents(path, interactions);
    const decoding: number[] = [];
    const evaluating: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      decoding.push(await timed(() => decode(path, () => undefined)));
      evaluating.push(await timed(() => evaluate(path)));
    }
    const [alone, whole] = [Math.min(...decoding), Math.min(...evaluating)];
    const megabytes = (await stat(path)).size / 1e6;
    const ratio = whole / alone;
    return [
      {
        id: 'evaluate.file_vs_decoding',
        value: ratio,
        unit: 'ratio',
        target: '<= 1.3',
        ok: ratio <= 1.3,
        detail: `${interactions.toLocaleString('en')} interactions with their lists, ${megabytes.toFixed(0)} MB: ${(whole / 1000).toFixed(2)} s, of which reading and decoding ${(alone / 1000).toFixed(2)} s`,
      },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

type Take = (interactions: InteractionColumns, exposures: ExposureColumns) => void;

async function decode(path: string, take: Take, users = new Interner(), known = ids()) {
  const reader = new EventReader({
    decoder: new Decoder({ maxFutureMs: HOUR }),
    maxEventBytes: 1 << 20,
    ids: known,
    users,
    maxFaults: 0,
    io: {
      isTerminal: false,
      signal: new AbortController().signal,
      stdout: () => undefined,
      stderr: () => undefined,
    } as never,
  });
  await reader.read([path], new Outcomes(), take);
}

const ids = () => ({ items: new Interner(), models: new Interner() });

async function evaluate(path: string): Promise<void> {
  const known = ids();
  const evaluation = new Evaluation(monitorOptionsOf(HOUR, 60_000), known);
  const outcomes = new Outcomes();
  await decode(
    path,
    (interactions, exposures) => evaluation.accept('events', interactions, exposures, outcomes),
    new Interner(),
    known,
  );
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
