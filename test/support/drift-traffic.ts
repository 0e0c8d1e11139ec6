import type { RankerName } from '../../src/simulation/options.js';
import { Simulation } from '../../src/simulation/simulation.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { driftOptions } from './drift.js';
import { type Event, smallOptions } from './log.js';

/** Every user comes once a cycle, and a cycle is a pane of the detectors. */
export const CYCLE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

export interface TrafficOptions {
  readonly seed: number;
  readonly cycles: number;
  readonly rankers: readonly RankerName[];
  /** From this cycle on `personal` turns to popularity. */
  readonly shiftAt?: number;
}

/** A small simulated log. */
export function driftTraffic({ seed, cycles, rankers, shiftAt }: TrafficOptions): Event[] {
  const simulation = new Simulation({
    seed,
    rankers,
    users: 80,
    items: 40,
    viewsPerSession: 0,
    relevantPerUser: 8,
    cycleMs: CYCLE_MS,
    periodMs: CYCLE_MS,
    sessionMs: 2_000,
    listLength: 20,
    startMs: START_MS,
    durationMs: cycles * CYCLE_MS,
    ...(shiftAt === undefined
      ? {}
      : { drift: { ranker: 'personal', atMs: START_MS + shiftAt * CYCLE_MS } }),
  });
  return [...simulation.events()];
}

/** Number of the cycle that begins there, from 0. */
export const cycleOf = (ms: number): number => (ms - START_MS) / CYCLE_MS;

/** A monitor of recall@10 on panes of one cycle. */
export function driftMonitorOptions(): MonitorOptions {
  const small = smallOptions();
  return {
    ...small,
    tickMs: CYCLE_MS,
    windows: [{ name: '1m', ms: CYCLE_MS }],
    latenessMs: 1_000,
    dedupeTtlMs: CYCLE_MS,
    attributionTtlMs: 2 * CYCLE_MS,
    popularity: { horizonMs: 60 * CYCLE_MS, of: 'positive' },
    gamma: { ...small.gamma, use: 2, periodMs: CYCLE_MS },
    estimates: {
      ...small.estimates,
      metrics: ['recall'],
      ks: [10],
      estimators: ['naive', 'snips'],
    },
    drift: driftOptions({ windowMs: CYCLE_MS }),
  };
}
