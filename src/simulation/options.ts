import { UnskewError } from '../errors.js';

/** Names of the rankers to evaluate. Their lists are shadow exposures, unless they serve users. */
export const RANKERS = ['personal', 'blend', 'popular', 'random', 'head', 'perfect'] as const;
export type RankerName = (typeof RANKERS)[number];

/** Name of the logging policy, whose shown lists follow the presentation bias. */
export const LOGGING_MODEL = 'production';
/** Name of the policy that shows uniformly random lists. */
export const UNIFORM_MODEL = 'uniform';

interface Drift {
  /** Event time of the drift, ms. From then on, the lists of `ranker` favour popular items. */
  readonly atMs: number;
  readonly ranker: RankerName;
  /** Another ranker, whose lists favour popular items before the event time `untilMs`, ms. */
  readonly earlier?: {
    readonly ranker: RankerName;
    readonly untilMs: number;
  };
}

/** Values of the option `naming`: which interactions have the id of the shown list. */
export const NAMINGS = ['shown', 'caused', 'none'] as const;
export type Naming = (typeof NAMINGS)[number];

/**
 * Examination probability θ_k of each position of a served list, relative to that of the first;
 * `flat` is 1 for all shown positions.
 */
export type Examination = readonly number[] | 'flat';

/** All models that a log may contain. */
const SIMULATED_MODELS = [...RANKERS, LOGGING_MODEL, UNIFORM_MODEL] as const;
export type SimulatedModel = (typeof SIMULATED_MODELS)[number];

/**
 * Values of the option `exposuresFollow`: which popularity the exposures of the logging policy
 * follow.
 */
export const EXPOSURE_SOURCES = ['counts', 'long-run'] as const;
type ExposureSource = (typeof EXPOSURE_SOURCES)[number];

export interface SimulationOptions {
  readonly seed: number;
  readonly users: number;
  readonly items: number;
  /** γ, exponent of presentation bias: the logging policy shows item i with probability ∝ n_i^γ. */
  readonly gamma: number;
  /** Earliest start of a session, event time, ms since the epoch. */
  readonly startMs: number;
  /** Sessions start before startMs + durationMs; without it, the log has no end. */
  readonly durationMs?: number;
  /**
   * Cycles of history before `startMs`: the start time of each, ascending, and the length of a
   * cycle, ms.
   */
  readonly history?: {
    readonly starts: readonly number[];
    readonly cycleMs: number;
  };
  /** Length of a cycle, ms. Every user has one session per cycle, always at the same offset. */
  readonly cycleMs: number;
  /** Length of a session, ms; all its events occur within this time after its start. */
  readonly sessionMs: number;
  /** Interval at which the logging policy is retrained on item counts, ms. */
  readonly periodMs: number;
  readonly rankers: readonly RankerName[];
  /**
   * Names for models in the log and in the true values. A model without an entry has the name by
   * which the simulation knows it.
   */
  readonly names?: Partial<Readonly<Record<SimulatedModel, string>>>;
  /** Length of a shadow list. If it is the size of the catalogue, `auc` has a true value too. */
  readonly listLength: number;
  /** Length of the lists that are shown to users. */
  readonly shownLength: number;
  /** Mean number of relevant items of a user. */
  readonly relevantPerUser: number;
  /** a: the expected observed popularity of an item is ∝ (its rank)^(−a). */
  readonly popularityExponent: number;
  /** Number of taste groups of users and items; with 1, all users have the same tastes. */
  readonly tasteGroups: number;
  /** Expected number of non-positive interactions (value 0) per session. */
  readonly viewsPerSession: number;
  /** Probability that a session shows a uniformly random list in addition to its other list. */
  readonly randomizedShare: number;
  readonly drift?: Drift;
  /** Share of the positive interactions that served lists drive; 0 by default. */
  readonly causedShare?: number;
  /**
   * Number n of rankers that serve users: the first n of `rankers`. With rankers that serve, each
   * session is a request with a randomly assigned ranker.
   */
  readonly arms?: number;
  /** Probability that a session is served by a uniformly random list, as an additional arm. */
  readonly randomArm?: number;
  /**
   * ε of a stochastic logger. It shows the first ranker's list or, with probability ε, a random
   * list from the first positions of all rankers. Each session is then a request with propensities.
   */
  readonly logger?: number;
  /** Examination probabilities of served lists; `flat` by default. */
  readonly examination?: Examination;
  /**
   * Which interactions have the id of the shown list. `shown`: those with an item of the list;
   * `caused` (default): those that the list drove; `none`: no interaction.
   */
  readonly naming?: Naming;
  /**
   * Number of crawlers. `botClicks` is the number of clicks of one crawler per cycle, 100 by
   * default.
   */
  readonly bots?: number;
  readonly botClicks?: number;
  /**
   * Popularity that exposures follow: lagged counts (default), or the constant target popularity
   * (`long-run`).
   */
  readonly exposuresFollow?: ExposureSource;
  /**
   * σ of item noise: the exposure weight of each item is multiplied by exp(σ · N(0, 1)). None by
   * default.
   */
  readonly itemNoise?: number;
}

/**
 * Default options: cycles of an hour from a fixed start and without an end, so that the seed alone
 * determines the log.
 */
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

/** Name of a model in the log and in the true values. */
export function nameOf({ names }: Pick<SimulationOptions, 'names'>, model: SimulatedModel): string {
  return names?.[model] ?? model;
}

/**
 * Check all options. @throws UnskewError USAGE if a number is out of its range or options
 * contradict each other.
 */
export function checkOptions(options: SimulationOptions): void {
  const { whole, real } = rangesOf(options);
  whole('seed', 0, Number.MAX_SAFE_INTEGER);
  whole('users', 1, 1_000_000);
  whole('items', 2, 10_000);
  real('gamma', -1, 5);
  whole('startMs', 0, 8_640_000_000_000_000);
  whole('cycleMs', 1, Number.MAX_SAFE_INTEGER);
  whole('sessionMs', 2, options.cycleMs);
  whole('periodMs', 1, Number.MAX_SAFE_INTEGER);
  if (options.durationMs !== undefined) {
    whole('durationMs', 1, Number.MAX_SAFE_INTEGER);
  }
  whole('listLength', 1, options.items);
  whole('shownLength', 1, options.items);
  real('relevantPerUser', 1, options.items / 2);
  real('popularityExponent', 0, 2);
  whole('tasteGroups', 1, options.items);
  real('viewsPerSession', 0, options.items / 4);
  real('randomizedShare', 0, 1);
  checkServing(options);
  if (options.rankers.length === 0 || new Set(options.rankers).size < options.rankers.length) {
    refuse('rankers must name at least one ranker, each once');
  }
  const called = SIMULATED_MODELS.map((model) => nameOf(options, model));
  const twice = called.find((name, place) => called.indexOf(name) < place);
  if (twice !== undefined) {
    refuse(`two models are called ${twice}`);
  }
  const drift = options.drift;
  if (drift !== undefined) {
    if (!Number.isInteger(drift.atMs)) {
      refuse(`drift.atMs is ${drift.atMs}, expected whole ms`);
    }
    if (!options.rankers.includes(drift.ranker)) {
      refuse(`drift.ranker ${drift.ranker} is not among the rankers`);
    }
  }
}

/** Check the options for serving lists, for crawlers and for exposures. */
function checkServing(options: SimulationOptions): void {
  const { whole, real } = rangesOf(options);
  const { arms, randomArm, logger, botClicks, bots, causedShare, examination, itemNoise } = options;
  if (causedShare !== undefined) {
    real('causedShare', 0, 1);
  }
  if (arms !== undefined) {
    whole('arms', 0, options.rankers.length);
  }
  if (randomArm !== undefined) {
    real('randomArm', 0, 1);
    if (!arms) {
      refuse('randomArm is one more arm, so arms must be at least 1');
    }
    if (options.randomizedShare > 0) {
      refuse('randomArm and randomizedShare exclude each other');
    }
  }
  if (logger !== undefined) {
    real('logger', 0, 1);
    if (logger === 0) {
      refuse('logger is 0, and what is never shown cannot be valued');
    }
    if (arms) {
      refuse('arms and logger exclude each other');
    }
  }
  if (bots !== undefined) {
    whole('bots', 0, 10_000);
  }
  if (botClicks !== undefined) {
    whole('botClicks', 1, 1_000_000);
  }
  if (itemNoise !== undefined) {
    real('itemNoise', 0, 3);
  }
  if (examination === undefined || examination === 'flat') return;
  if (examination[0] !== 1) {
    refuse('examination must begin with 1');
  }
  if (examination.length > options.shownLength) {
    refuse(`examination has more places than the ${options.shownLength} that a list shows`);
  }
  if (examination.some((theta) => !(theta >= 0 && theta <= 1))) {
    refuse('examination holds chances from 0 to 1');
  }
}

function rangesOf(options: SimulationOptions) {
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
  return { whole, real };
}

function refuse(what: string): never {
  throw new UnskewError('USAGE', `simulation: ${what}`);
}
