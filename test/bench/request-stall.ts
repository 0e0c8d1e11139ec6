import { setImmediate as nextTurn } from 'node:timers/promises';
import { Outcomes } from '../../src/stream/outcomes.js';
import { Monitor } from '../../src/stream/panes/monitor.js';
import { runAtOnce, runSliced } from '../../src/stream/sliced.js';
import type { WindowSnapshot } from '../../src/stream/tick/snapshot.js';
import type { BenchResult } from './result.js';
import { monitorOptionsOf, type SyntheticLog, syntheticLog } from './synthetic-log.js';

const HOUR = 3_600_000;
const TICK = 60_000;
const TICKS = 17;
/** Ticks that pay for compilation. */
const WARM_UP = 5;
/** Whether a turn of one monitor is longer than another's is judged by this much and more. */
const SAME = 1.25;

/**
 * The longest turn of the main thread by the processor's time, in which events are taken in, a pane
 * closes or a window is valued, with requests against without: the same events with the same lists, a window of an hour
 * with 460,000 rows and 77,000 requests of three models, a tick after the other.
 */
export async function benchRequestStall(): Promise<BenchResult[]> {
  const log = syntheticLog(
    {
      interactions: 600_000,
      users: 60_000,
      items: 20_000,
      interactionsPerSession: 6,
      listLength: 10,
      spanMs: 1.3 * HOUR,
      requested: true,
    },
    5,
  );
  const without = new Turns(log, false);
  const joined = new Turns(log, true);
  for (const batch of log.batches) {
    await without.add(batch);
    await joined.add(batch);
  }
  const { window } = joined;
  const requests = window?.values ?? [];
  if (requests.length === 0 || requests.some(({ status }) => status === 'refused')) {
    throw new Error(
      `${requests.length} values: ${JSON.stringify(requests.flatMap(({ reasons }) => reasons))}`,
    );
  }
  const own = median(joined.longest);
  const other = median(without.longest);
  return [
    {
      id: 'values.ingest_stall',
      value: own / other,
      unit: 'x without',
      target: `<= ${SAME}`,
      ok: own / other <= SAME,
      detail: `longest turn of the main thread in a tick and the events before it, by the processor's time, median of ${joined.longest.length - WARM_UP} ticks: ${own.toFixed(1)} ms with requests, ${other.toFixed(1)} ms without; the longest of all ${most(joined).toFixed(1)} and ${most(without).toFixed(1)} ms`,
    },
  ];
}

/** CPU time of all threads of the process, ms; other work of the machine does not count. */
function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A monitor, and how long it kept the thread. */
class Turns {
  /** By tick: its longest turn, or that of a batch before it, ms. */
  readonly longest: number[] = [];
  window: WindowSnapshot | undefined;
  readonly #monitor: Monitor;
  readonly #outcomes = new Outcomes();
  #most = 0;

  constructor({ ids, userIds }: SyntheticLog, isJoined: boolean) {
    const hashed = {
      hash: (user: number) => userIds.hash(user),
      text: (user: number) => userIds.text(user),
    };
    const options = {
      ...monitorOptionsOf(HOUR, TICK),
      ...(isJoined && { value: { horizonMs: 5 * TICK, unit: 'request' as const } }),
    };
    this.#monitor = new Monitor(options, { ...ids, users: () => hashed as never });
  }

  async add({ interactions, exposures }: SyntheticLog['batches'][number]): Promise<void> {
    const monitor = this.#monitor;
    const start = processMs();
    monitor.intake.acceptExposures(0, exposures, this.#outcomes);
    monitor.intake.acceptInteractions(0, interactions, this.#outcomes);
    this.#held(processMs() - start);
    for (let pane = monitor.closable(); pane !== undefined; pane = monitor.closable()) {
      if (pane < 59 || this.longest.length === TICKS) {
        runAtOnce(monitor.closePane(pane));
        this.#most = 0;
        continue;
      }
      const turns = { now: processMs, next: () => nextTurn() };
      const closed = await runSliced(monitor.close(pane), turns, (ms) => this.#held(ms));
      this.window = closed!.snapshot.windows[0];
      this.longest.push(this.#most);
      this.#most = 0;
    }
  }

  #held(ms: number): void {
    this.#most = Math.max(this.#most, ms);
  }
}

function most({ longest }: Turns): number {
  return Math.max(...longest.slice(WARM_UP));
}

function median(longest: readonly number[]): number {
  const sorted = longest.slice(WARM_UP).sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}
