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

/** By which windows and popularity are full where nothing comes before them; else windows alone. */
export const DEMO_BACKLOG_CYCLES = { plain: 10, story: 3 };

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
  names: { popular: 'trending', uniform: 'shuffled', production: 'live' },
  causedShare: 0.01,
  arms: 2,
  randomizedShare: 0.1,
} as const;

/** The model that begins to chase popularity, the best by the truth. */
const CHASER: RankerName = 'personal';

/** Part of a cycle after now in which nothing happens, at least. */
const CALM = 1 / 3;

const HOUR_MS = 3_600_000;
/** Verdicts are looked for this often, at whole hours of UTC; a cycle of the history ends at each. */
const LOOK_MS = 6 * HOUR_MS;
/** Looks of the history: of four days, of which the last two and a half are as they are now. */
const LOOKS = 16;
const LOOKS_BEFORE_TURN = 6;

/** How long the history is, ms, with the cycles just before now. */
export const DEMO_HISTORY_MS = LOOKS * LOOK_MS;

/** Cycles that end at the looks before `startMs`. */
function historyBefore(startMs: number, cycleMs: number): number[] {
  const last = Math.floor(startMs / LOOK_MS) * LOOK_MS;
  return Array.from({ length: LOOKS }, (_, n) => last - (LOOKS - 1 - n) * LOOK_MS - cycleMs);
}

/**
 * Options for live traffic around `nowMs`: about 500 events a second, a cycle of one minute, and
 * some cycles of backlog before now. Unless it is plain, days lie before them, in one cycle for each
 * look of the verdicts, in which the best model was retrained and became what it is; and within a
 * cycle from now it begins to chase popularity.
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
  const history = historyBefore(startMs, cycleMs);
  // Half a cycle is a stretch of the detectors: where it begins one, the whole of it has changed.
  const half = cycleMs / 2;
  const atMs = Math.ceil((now + CALM * cycleMs) / half) * half;
  const untilMs = history[LOOKS_BEFORE_TURN]! - HOUR_MS;
  const drift = { atMs, untilMs, ranker: CHASER };
  return {
    ...DEFAULT_OPTIONS,
    users: DEMO_USERS,
    cycleMs,
    sessionMs: cycleMs / 30,
    periodMs: cycleMs,
    startMs,
    ...(isPlain ? PLAIN : { ...storyBeside(overrides), drift, history }),
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
