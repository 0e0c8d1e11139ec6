import { NAMES_EXPOSURE } from '../../src/events/columns.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { Monitor } from '../../src/stream/panes/monitor.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { ClosedPane } from '../../src/stream/tick/closed-pane.js';
import { cpuMs, medianOf } from './cpu-time.js';
import { DEFAULTS, PAPERS } from './default-options.js';
import { evaluateByDefault } from './evaluate.js';
import type { BenchResult } from './result.js';
import { type SyntheticLog, syntheticLog } from './synthetic-log.js';

const HOUR = 3_600_000;
const ROUNDS = 13;
/** Ticks that pay for compilation. */
const WARM_UP = 3;

/**
 * Closing a pane and its tick over a window of a million rows with the default settings, against the
 * same with the papers' settings: the processor's time, in turns, median of ticks. Once where no
 * interaction names a list, and once where a tenth do, so that all is estimated from the others too.
 * And `evaluate` of twice as many in a file.
 */
export async function benchDefaults(rows = 1_000_000): Promise<BenchResult[]> {
  const unnamed = ratioOf(rows, 0, 'defaults.tick', 1.15);
  const named = ratioOf(rows, 0.1, 'defaults.tick_with_causes', 2.2);
  return [unnamed, named, await evaluateByDefault(2 * rows)];
}

function ratioOf(rows: number, share: number, id: string, most: number): BenchResult {
  const size = { interactions: 1.25 * rows, users: rows / 10, items: 20_000 };
  const session = { interactionsPerSession: 15, listLength: 20, spanMs: 1.25 * HOUR };
  const log = syntheticLog({ ...size, ...session }, 3);
  const sides = [PAPERS, DEFAULTS].map((options) => ({
    monitor: new Monitor(options, log.ids),
    times: [] as number[],
  }));
  const name = naming(share);
  for (const batch of log.batches) {
    name(batch);
    for (const side of sides) advance(side, batch);
    if (sides[1]!.times.length === ROUNDS) break;
  }
  const [papers, defaults] = sides.map(({ times }) => medianOf(times.slice(WARM_UP)));
  const value = defaults! / papers!;
  const detail = `${ROUNDS - WARM_UP} ticks in turns: ${defaults!.toFixed(0)} ms of the processor, the papers' settings ${papers!.toFixed(0)} ms; ${100 * share} % of interactions name a list`;
  return { id, value, unit: 'ratio', target: `<= ${most}`, ok: value <= most, detail };
}

function advance(
  { monitor, times }: { readonly monitor: Monitor; readonly times: number[] },
  { interactions, exposures }: SyntheticLog['batches'][number],
): void {
  const outcomes = new Outcomes();
  monitor.intake.acceptExposures(0, exposures, outcomes);
  monitor.intake.acceptInteractions(0, interactions, outcomes);
  for (let pane = monitor.closable(); pane !== undefined; pane = monitor.closable()) {
    const closed = pane;
    if (pane < 59 || times.length === ROUNDS) runAtOnce(monitor.closePane(pane));
    else times.push(cpuMs(() => estimated(runAtOnce(monitor.close(closed)))));
  }
}

/** A window without estimates is quick, and says nothing. */
function estimated(pane: ClosedPane | undefined): void {
  if (pane!.snapshot.windows[0]!.results.length === 0) throw new Error('nothing was estimated');
}

/** @returns what makes that share of the interactions name the newest list of their user */
function naming(share: number): (batch: SyntheticLog['batches'][number]) => void {
  const newest = new Map<number, readonly [high: number, low: number]>();
  const every = Math.round(1 / share);
  return ({ interactions, exposures }) => {
    if (share === 0) return;
    for (let e = 0; e < exposures.length; e++) {
      newest.set(exposures.user[e]!, [exposures.idHigh[e]!, exposures.idLow[e]!]);
    }
    for (let r = 0; r < interactions.length; r += every) {
      const [high, low] = newest.get(interactions.user[r]!)!;
      interactions.flags[r]! |= NAMES_EXPOSURE;
      interactions.exposureHigh[r] = high;
      interactions.exposureLow[r] = low;
    }
  };
}
