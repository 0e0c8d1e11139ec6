import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { finished } from 'node:stream/promises';
import { SetFolder } from '../../src/adapters/files/set-folder.js';
import { FileSetReader } from '../../src/commands/export/file-reader.js';
import { makeSet } from '../../src/commands/export/make-set.js';
import { EventReader } from '../../src/commands/files/read-events.js';
import type { SetPlan } from '../../src/export/set-plan.js';
import { Interner } from '../../src/state/ids/interner.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { quietIo as io } from '../support/quiet-io.js';
import { PLAN } from '../support/sets.js';
import { canonicalEvent, generator } from './decode.js';
import type { BenchResult } from './result.js';

const EVENTS = 1_000_000;
const ROUNDS = 3;
const MIN_RATE = 400_000;
const MIN_RATIO = 0.7;
const MAX_EVENT_BYTES = 1_048_576;

const PARQUET: SetPlan = { ...PLAN, format: 'parquet' };

/**
 * A wtd_h set from a file of a million canonical events to Parquet, against reading and decoding the
 * same file alone, in alternating rounds, best of each.
 */
export async function benchExport(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-bench-'));
  try {
    const path = join(folder, 'events.ndjson');
    await writeEvents(path);
    const decoded: number[] = [];
    const exported: number[] = [];
    let rows = 0;
    for (let round = 0; round < ROUNDS; round++) {
      decoded.push(await timed(() => decodeAlone(path)));
      exported.push(
        await timed(async () => {
          rows = await exportOnce(path, folder, `set-${round}`);
        }),
      );
    }
    const seconds = Math.min(...exported) / 1000;
    const ratio = Math.min(...decoded) / Math.min(...exported);
    const rate = EVENTS / seconds;
    return [
      {
        id: 'export.parquet_events_per_second',
        value: rate,
        unit: 'events/s',
        target: `>= ${MIN_RATE}, or >= ${MIN_RATIO} of decoding`,
        ok: rate >= MIN_RATE || ratio >= MIN_RATIO,
        detail:
          `${rows} rows of ${EVENTS} events in ${seconds.toFixed(2)} s; ` +
          `${ratio.toFixed(2)} of the speed of reading and decoding alone`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function writeEvents(path: string): Promise<void> {
  const random = generator(42);
  const stream = createWriteStream(path);
  for (let first = 0; first < EVENTS; first += 5000) {
    let text = '';
    for (let i = first; i < first + 5000; i++) text += `${canonicalEvent(i, random)}\n`;
    if (!stream.write(text)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

async function decodeAlone(path: string): Promise<void> {
  const reader = new EventReader({
    decoder: { maxFutureMs: 0 },
    maxEventBytes: MAX_EVENT_BYTES,
    ids: { items: new Interner(), models: new Interner() },
    users: new Interner(),
    referenceTs: Number.POSITIVE_INFINITY,
    maxFaults: 0,
    io,
  });
  let events = 0;
  await reader.read([path], new Outcomes(), (interactions) => {
    events += interactions.length;
  });
  if (events !== EVENTS) throw new Error(`${events} events were decoded`);
}

async function exportOnce(path: string, folder: string, name: string): Promise<number> {
  const { counts } = await makeSet({
    plan: PARQUET,
    events: { maxBytes: MAX_EVENT_BYTES, maxFutureMs: 0 },
    reader: new FileSetReader({
      events: [path],
      train: [],
      decoder: { maxFutureMs: 0 },
      maxEventBytes: MAX_EVENT_BYTES,
      maxFaults: 0,
      io,
    }),
    storage: new SetFolder(join(folder, 'sets')),
    name,
    memoryBytes: 256 * 1024 * 1024,
    io,
  });
  return counts.drawn;
}
