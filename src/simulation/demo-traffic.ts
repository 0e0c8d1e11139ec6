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

/** Ten cycles, by which windows and popularity are full. */
export const DEMO_BACKLOG_CYCLES = 10;

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

/** Cycles after now in which nothing happens. */
const CALM_CYCLES = 1;

/**
 * Options for live traffic around `nowMs`: about 500 events a second, a cycle of one minute, and
 * some cycles of backlog before now. Unless it is plain, one model begins to chase popularity after
 * another cycle.
 *
 * @param overrides what is asked for otherwise; it replaces those parts that it contradicts
 */
export function demoOptions(
  nowMs: number,
  overrides: Partial<SimulationOptions> = {},
  { backlogCycles = DEMO_BACKLOG_CYCLES, speed = 1, isPlain = false }: DemoTraffic = {},
): SimulationOptions {
  const now = Math.floor(nowMs);
  const cycleMs = overrides.cycleMs ?? MINUTE_MS / speed;
  const drift = { atMs: now + CALM_CYCLES * cycleMs, ranker: CHASER };
  return {
    ...DEFAULT_OPTIONS,
    users: DEMO_USERS,
    cycleMs,
    sessionMs: cycleMs / 30,
    periodMs: cycleMs,
    startMs: now - backlogCycles * cycleMs,
    ...(isPlain ? PLAIN : { ...storyBeside(overrides), drift }),
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
