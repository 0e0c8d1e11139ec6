import { performance } from 'node:perf_hooks';
import { Outcomes } from '../../src/stream/outcomes.js';
import { built } from '../support/built.js';
import { DEFAULTS, PAPERS } from './default-options.js';

const { openReader } = await built<typeof import('../../src/commands/files/open-reader.js')>(
  'commands/files/open-reader.js',
);
const { startCrew } =
  await built<typeof import('../../src/commands/files/crew.js')>('commands/files/crew.js');
const { threadsFor } = await built<typeof import('../../src/commands/threads/thread-count.js')>(
  'commands/threads/thread-count.js',
);
const { EventReader } = await built<typeof import('../../src/commands/files/read-events.js')>(
  'commands/files/read-events.js',
);
const { Interner } =
  await built<typeof import('../../src/state/ids/interner.js')>('state/ids/interner.js');
const { Evaluation } =
  await built<typeof import('../../src/stream/evaluation.js')>('stream/evaluation.js');
const HOUR = 3_600_000;

/** Beside the time that passed the processors' time, which shows whether others kept them busy. */
export interface Timing {
  readonly ms: number;
  readonly cpuMs: number;
}

const WORK = {
  decode,
  evaluate: (path: string) => evaluate(path, PAPERS),
  'evaluate-by-default': (path: string) => evaluate(path, DEFAULTS),
};
export type Work = keyof typeof WORK;

async function timed(work: () => Promise<void>): Promise<Timing> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}

const ids = () => ({ items: new Interner(), models: new Interner() });

const options = (known = ids(), users = new Interner()) => ({
  decoder: { maxFutureMs: HOUR },
  maxEventBytes: 1 << 20,
  ids: known,
  users,
  maxFaults: 0,
  io: { isTerminal: false, signal: new AbortController().signal } as never,
});

async function decode(path: string): Promise<void> {
  const reader = new EventReader(options());
  await reader.read([path], new Outcomes(), () => undefined);
}

async function evaluate(path: string, asked: typeof PAPERS): Promise<void> {
  const known = ids();
  const evaluation = new Evaluation(asked, known, new Outcomes());
  const threads = await threadsFor([path]);
  const reader = openReader(threads, options(known));
  await reader.read([path], new Outcomes(), (interactions, exposures, share) =>
    evaluation.accept('events', interactions, exposures, share),
  );
  await reader.close();
  const crew = startCrew(threads);
  const { windows } = await evaluation.result(crew);
  await crew.end();
  if (windows[0]!.results.length === 0) throw new Error('Nothing was evaluated.');
}

const [what, path] = process.argv.slice(2) as [Work, string];
process.send!(await timed(() => WORK[what](path)));
process.disconnect();
