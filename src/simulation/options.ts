import { UnskewError } from '../errors.js';

/** Rankers that are evaluated: their lists are shadow exposures. */
export const RANKERS = ['personal', 'blend', 'popular', 'random'] as const;
export type RankerName = (typeof RANKERS)[number];

/** The logging policy, whose shown lists follow the presentation bias. */
export const LOGGING_MODEL = 'production';
/** The policy of the randomised sessions. */
export const UNIFORM_MODEL = 'uniform';

interface Drift {
  /** Event time, ms, from which on the ranker's lists chase popularity. */
  readonly atMs: number;
  readonly ranker: RankerName;
}

export interface SimulationOptions {
  readonly seed: number;
  readonly users: number;
  readonly items: number;
  /** Presentation bias: the logging policy shows item i with probability ∝ n_i^γ. */
  readonly gamma: number;
  /** Event time of the first session at the earliest, ms since epoch. */
  readonly startMs: number;
  /** Sessions start before startMs + durationMs; without it the log never ends. */
  readonly durationMs?: number;
  /** Every user has one session in it, always at the same place of the cycle. */
  readonly cycleMs: number;
  /** A session's events lie within so much time after its start. */
  readonly sessionMs: number;
  /** The logging policy takes the item counts over anew so often. */
  readonly periodMs: number;
  readonly rankers: readonly RankerName[];
  /** Items in a shadow list. As long as the catalogue, `auc` has a true value too. */
  readonly listLength: number;
  /** Items in a list that the logging policy or the uniform policy shows. */
  readonly shownLength: number;
  /** Mean number of relevant items of a user. */
  readonly relevantPerUser: number;
  /** Expected observed popularity is ∝ rank^(−popularityExponent). */
  readonly popularityExponent: number;
  /** Users and items fall into so many groups of taste; 1 makes all users alike. */
  readonly tasteGroups: number;
  /** Expected non-positive interactions (value 0) a session. */
  readonly viewsPerSession: number;
  /** Share of the sessions that also show a list drawn uniformly at random. */
  readonly randomizedShare: number;
  readonly drift?: Drift;
}

/** A log of a day's cycles that starts at a fixed date, so that a seed alone decides the bytes. */
export const DEFAULT_OPTIONS: SimulationOptions = {
  seed: 1,
  users: 1000,
  items: 200,
  gamma: 2,
  startMs: Date.UTC(2026, 0, 1),
  cycleMs: 3_600_000,
  sessionMs: 60_000,
  periodMs: 3_600_000,
  rankers: ['personal', 'blend', 'popular'],
  listLength: 50,
  shownLength: 10,
  relevantPerUser: 60,
  popularityExponent: 0.3,
  tasteGroups: 5,
  viewsPerSession: 3,
  randomizedShare: 0,
};

/** Cycles of the past that a demonstration replays at once before it goes on in real time. */
const DEMO_BACKLOG_CYCLES = 10;

/**
 * Options for live traffic around `nowMs`: about 500 events a second, a cycle of one minute, and
 * ten cycles of backlog before now, so that windows and popularity are full at once.
 */
export function demoOptions(
  nowMs: number,
  overrides: Partial<SimulationOptions> = {},
): SimulationOptions {
  const cycleMs = overrides.cycleMs ?? 60_000;
  return {
    ...DEFAULT_OPTIONS,
    users: 2000,
    cycleMs,
    sessionMs: 2_000,
    periodMs: cycleMs,
    startMs: Math.floor(nowMs) - DEMO_BACKLOG_CYCLES * cycleMs,
    ...overrides,
  };
}

/** @throws UnskewError USAGE where a number is out of its range or options contradict each other. */
export function checkOptions(options: SimulationOptions): void {
  const whole = (name: keyof SimulationOptions, least: number, most: number) => {
    const value = options[name] as number;
    if (!Number.isInteger(value) || value < least || value > most) {
      refuse(`${name} is ${value}, expected a whole number from ${least} to ${most}`);
    }
  };
  const real = (name: keyof SimulationOptions, least: number, most: number) => {
    const value = options[name] as number;
    if (!(value >= least && value <= most)) {
      refuse(`${name} is ${value}, expected a number from ${least} to ${most}`);
    }
  };
  whole('seed', 0, Number.MAX_SAFE_INTEGER);
  whole('users', 1, 1_000_000);
  whole('items', 2, 10_000);
  real('gamma', -1, 5);
  whole('startMs', 0, 8_640_000_000_000_000);
  whole('cycleMs', 1, Number.MAX_SAFE_INTEGER);
  whole('sessionMs', 2, options.cycleMs);
  whole('periodMs', 1, Number.MAX_SAFE_INTEGER);
  if (options.durationMs !== undefined) whole('durationMs', 1, Number.MAX_SAFE_INTEGER);
  whole('listLength', 1, options.items);
  whole('shownLength', 1, options.items);
  real('relevantPerUser', 1, options.items / 2);
  real('popularityExponent', 0, 2);
  whole('tasteGroups', 1, options.items);
  real('viewsPerSession', 0, options.items / 4);
  real('randomizedShare', 0, 1);
  if (options.rankers.length === 0 || new Set(options.rankers).size < options.rankers.length) {
    refuse('rankers must name at least one ranker, each once');
  }
  const drift = options.drift;
  if (drift !== undefined) {
    if (!Number.isInteger(drift.atMs)) refuse(`drift.atMs is ${drift.atMs}, expected whole ms`);
    if (!options.rankers.includes(drift.ranker)) {
      refuse(`drift.ranker ${drift.ranker} is not among the rankers`);
    }
  }
}

function refuse(what: string): never {
  throw new UnskewError('USAGE', `simulation: ${what}`);
}
