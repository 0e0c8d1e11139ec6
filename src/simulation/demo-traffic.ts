import { DEFAULT_OPTIONS, type RankerName, type SimulationOptions } from './options.js';

/** Options of demo traffic in addition to those of the simulation. */
export interface DemoTraffic {
  /** Number of cycles of traffic before now, which the service reads when it starts. */
  readonly backlogCycles?: number;
  /** Speed-up factor; a cycle lasts one minute divided by it. */
  readonly speed?: number;
  /**
   * Whether the traffic is plain, without the demo's story: it has no drift, history, arms or
   * randomised lists.
   */
  readonly isPlain?: boolean;
}

const MINUTE_MS = 60_000;
/** Number of panes in a cycle of traffic with the story. */
const PANES = 6;

/**
 * Default number of cycles before now. They fill the windows and, for plain traffic, also the
 * popularity horizon.
 */
export const DEMO_BACKLOG_CYCLES = {
  plain: 10,
  story: 2,
};

export const DEMO_USERS = 2000;

/**
 * Options of plain traffic. Lists drive a share of the positive interactions that is so small that
 * it hardly changes recall, but large enough for some attributed clicks in every half minute.
 */
const PLAIN = { causedShare: 0.0015 };

/**
 * Options of traffic with the story. Two models serve users, so that attributed clicks give their
 * reward per request. The exposures of both models together do not follow a single γ. Some
 * randomised lists are added, because they determine γ.
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

/**
 * The served model whose lists drift towards popular items. By true values it is the best model.
 */
const CHASER: RankerName = 'personal';
/** The other served model, whose lists favoured popular items in the first part of the history. */
const RIVAL: RankerName = 'blend';

/** Minimum time between now and the start of the drift, in cycles. */
const CALM = 1 / 2;

const HOUR_MS = 3_600_000;
/**
 * Interval between evaluations of the verdicts, ms. They are at multiples of 6 h in UTC, where each
 * history cycle ends.
 */
const LOOK_MS = 6 * HOUR_MS;
/**
 * Number of evaluations of the verdicts in the history. The first `LOOKS_BEFORE_TURN` are before
 * the rival's change. Verdicts use the history after that change, which must last at least a day.
 */
const LOOKS = 11;
const LOOKS_BEFORE_TURN = 3;

/** Length of the history, ms. */
export const DEMO_HISTORY_MS = (LOOKS - 1) * LOOK_MS;

/**
 * Compute the cycles of history before `startMs`. Each cycle ends when the verdicts are evaluated.
 * It lasts only one pane, so that the service reads the history quickly.
 */
function historyBefore(startMs: number, cycleMs: number) {
  const last = Math.floor(startMs / LOOK_MS) * LOOK_MS;
  const first = last - DEMO_HISTORY_MS - cycleMs;
  return {
    starts: Array.from({ length: LOOKS }, (_, n) => first + n * LOOK_MS),
    cycleMs,
  };
}

/**
 * Build options for live traffic around `nowMs`: about 500 events a second, cycles of one minute,
 * and some cycles of backlog before now.
 *
 * Unless it is plain, the traffic also has a story. Days of history come first, with one cycle per
 * evaluation of the verdicts; a model that favoured popular items is retrained in them. Within a
 * cycle from now, the best model starts to favour popular items.
 *
 * @param overrides further options; parts of the story that contradict them are left out
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
  // The drift starts at a multiple of half a cycle, which is a window of drift detection, so that
  // the whole window has changed.
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

/**
 * Options of the story, without those that contradict the given options. A stochastic logger
 * excludes arms; a random arm replaces the other randomised lists.
 */
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
