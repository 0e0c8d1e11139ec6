import { DEFAULT_OPTIONS, type RankerName, type SimulationOptions } from './options.js';

/** What a demonstration's traffic is like, beside the simulation's own options. */
export interface DemoTraffic {
  /** Cycles of traffic before now. */
  readonly backlogCycles?: number;
  /** How many times as fast as usual all goes: a cycle is a minute divided by it. */
  readonly speed?: number;
  /** Nothing happens. */
  readonly isPlain?: boolean;
}

const MINUTE_MS = 60_000;
/** Panes of a cycle with a story. */
const PANES = 6;

/** By which windows and popularity are full where nothing comes before them; else windows alone. */
export const DEMO_BACKLOG_CYCLES = {
  plain: 10,
  story: 2,
};

export const DEMO_USERS = 2000;

/**
 * A list of ten holds one in fifteen of the user's finds, whatever lists cause. So few clicks of its
 * own lift its numbers by a thirtieth, and by less than a tenth in the worst half minute of a day;
 * fewer would at times leave none at all.
 */
const PLAIN = { causedShare: 0.0015 };

/**
 * Two models take turns in serving users, so that what their lists are worth is known from the clicks
 * that name them: as many as leave the other numbers of either list uncontradicted. As lists of two
 * models follow no one γ, a few lists at random tell it.
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

/** The model that begins to chase popularity, the best by the truth. */
const CHASER: RankerName = 'personal';
/** The other one that serves; it was as bad in the first part of the history. */
const RIVAL: RankerName = 'blend';

/** Part of a cycle after now in which nothing happens, at least. */
const CALM = 1 / 2;

const HOUR_MS = 3_600_000;
/** Verdicts are looked for this often, at whole hours of UTC; a cycle of the history ends at each. */
const LOOK_MS = 6 * HOUR_MS;
/** Looks of the history; verdicts are on what comes behind the turn, a day at least. */
const LOOKS = 11;
const LOOKS_BEFORE_TURN = 3;

/** How long the history is, ms. */
export const DEMO_HISTORY_MS = (LOOKS - 1) * LOOK_MS;

/** Cycles that end at the looks before `startMs`, of a pane each: panes are what takes time to read. */
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

/** One logger that draws lists serves without arms; a random arm is all the random traffic. */
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
