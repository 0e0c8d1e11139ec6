import { performance } from 'node:perf_hooks';
import type { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { monitorOptionsOf } from './synthetic-log.js';

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

/** Beside the time that passed the processors' time, which shows whether others kept them busy. */
export interface Timing {
  readonly ms: number;
  readonly cpuMs: number;
}

const WORK = { decode: decodeHere, threads: decodeOnly, evaluate };
export type Work = keyof typeof WORK;

async function timed(work: () => Promise<void>): Promise<Timing> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
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

function decodeOnly(path: string): Promise<void> {
  return decode(path, () => undefined);
}

const [what, path] = process.argv.slice(2) as [Work, string];
process.send!(await timed(() => WORK[what](path)));
process.disconnect();
