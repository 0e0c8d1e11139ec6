import { DEFAULT_OPTIONS, type RankerName, type SimulationOptions } from './options.js';

/** Options of demo traffic beside those of the simulation. */
export interface DemoTraffic {
  /** Number of cycles of traffic before now. */
  readonly backlogCycles?: number;
  /** Speed-up: the length of a cycle is a minute divided by it. */
  readonly speed?: number;
  /** Whether the traffic has no events such as drift. */
  readonly isPlain?: boolean;
}

const MINUTE_MS = 60_000;
/** Panes per cycle in traffic with events. */
const PANES = 6;

/** Number of cycles that fill the windows, and for plain traffic also the popularity horizon. */
export const DEMO_BACKLOG_CYCLES = {
  plain: 10,
  story: 2,
};

export const DEMO_USERS = 2000;

/**
 * Share of driven interactions in plain traffic, so small that it hardly changes recall, but large
 * enough for some attributed clicks in every half minute.
 */
const PLAIN = { causedShare: 0.0015 };

/**
 * Traffic in which two models serve users, so that attributed clicks give their reward per request.
 * Their shared exposures do not follow a single γ, so a few randomised lists determine it.
 */
const STORY = {
  names: {
    popular: 'trending',
    uniform: 'shuffled',
    production: 'live',
  },
  causedShare: 0.01,
  arms: 2,
  randomizedShare: 0.1,
} as const;

/** The model whose lists drift towards popular items; by the truth it is the best. */
const CHASER: RankerName = 'personal';
/** The other served model, which drifted in the first part of the history. */
const RIVAL: RankerName = 'blend';

/** Least part of a cycle after now without drift. */
const CALM = 1 / 2;

const HOUR_MS = 3_600_000;
/** Interval between looks of verdicts, at whole UTC hours; a cycle of the history ends at each. */
const LOOK_MS = 6 * HOUR_MS;
/** Number of looks in the history; verdicts use the part after the change, at least a day. */
const LOOKS = 11;
const LOOKS_BEFORE_TURN = 3;

/** Length of the history, ms. */
export const DEMO_HISTORY_MS = (LOOKS - 1) * LOOK_MS;

/** Cycles that end at the looks before `startMs`, one pane each to keep reading fast. */
function historyBefore(startMs: number, cycleMs: number) {
  const last = Math.floor(startMs / LOOK_MS) * LOOK_MS;
  const first = last - DEMO_HISTORY_MS - cycleMs;
  return {
    starts: Array.from({ length: LOOKS }, (_, n) => first + n * LOOK_MS),
    cycleMs,
  };
}

/**
 * Options for live traffic around `nowMs`: about 500 events a second, a cycle of one minute, and
 * some cycles of backlog before now. Unless it is plain, days lie before them, in one cycle for each
 * look of the verdicts, in which one that chased popularity was retrained; and within a cycle from now
 * the best one begins to.
 *
 * @param overrides what is asked for otherwise; it replaces those parts that it contradicts
 */
export function demoOptions(
  nowMs: number,
  overrides: Partial<SimulationOptions> = {},
  { speed = 1, isPlain = false, ...traffic }: DemoTraffic = {},
): SimulationOptions {
  const now = Math.floor(nowMs);
  const cycleMs = overrides.cycleMs ?? MINUTE_MS / speed;
  const { backlogCycles = DEMO_BACKLOG_CYCLES[isPlain ? 'plain' : 'story'] } = traffic;
  const startMs = now - backlogCycles * cycleMs;
  const history = historyBefore(startMs, cycleMs / PANES);
  // Half a cycle is a stretch of the detectors: where it begins one, the whole of it has changed.
  const half = cycleMs / 2;
  const atMs = Math.ceil((now + CALM * cycleMs) / half) * half;
  const untilMs = history.starts[LOOKS_BEFORE_TURN]!;
  const drift = {
    atMs,
    ranker: CHASER,
    earlier: {
      ranker: RIVAL,
      untilMs,
    },
  };
  return {
    ...DEFAULT_OPTIONS,
    users: DEMO_USERS,
    cycleMs,
    sessionMs: cycleMs / 30,
    periodMs: cycleMs,
    startMs,
    ...(isPlain
      ? PLAIN
      : {
          ...storyBeside(overrides),
          drift,
          history,
        }),
    ...overrides,
  };
}

/** Options without arms for a stochastic logger; a random arm replaces other randomised traffic. */
function storyBeside({
  logger,
  randomArm,
}: Partial<SimulationOptions>): Partial<SimulationOptions> {
  return {
    ...STORY,
    ...(logger === undefined ? {} : { arms: 0 }),
    ...(randomArm === undefined ? {} : { randomizedShare: 0 }),
  };
}
