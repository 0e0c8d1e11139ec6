import { UnskewError } from '../errors.js';

/** Rankers that are evaluated: their lists are shadow exposures. */
export const RANKERS = ['personal', 'blend', 'popular', 'random', 'head', 'perfect'] as const;
export type RankerName = (typeof RANKERS)[number];

/** The logging policy, whose shown lists follow the presentation bias. */
export const LOGGING_MODEL = 'production';
/** The policy of the randomised sessions. */
export const UNIFORM_MODEL = 'uniform';

interface Drift {
  /** Event time, ms, from which on the ranker's lists chase popularity. */
  readonly atMs: number;
  readonly ranker: RankerName;
  /** Another ranker whose lists chased popularity before, and the event time, ms, up to which. */
  readonly earlier?: {
    readonly ranker: RankerName;
    readonly untilMs: number;
  };
}

/** Which shown lists interactions name as the exposure that led to them. */
export const NAMINGS = ['shown', 'caused', 'none'] as const;
export type Naming = (typeof NAMINGS)[number];

/** θ by place of a served list, 1 for the first; `flat`: 1 for all that are shown. */
export type Examination = readonly number[] | 'flat';

/** Every model that a log may hold, as the simulation knows it. */
const SIMULATED_MODELS = [...RANKERS, LOGGING_MODEL, UNIFORM_MODEL] as const;
export type SimulatedModel = (typeof SIMULATED_MODELS)[number];

/** What the logging policy's exposures follow. */
export const EXPOSURE_SOURCES = ['counts', 'long-run'] as const;
type ExposureSource = (typeof EXPOSURE_SOURCES)[number];

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
  /**
   * Cycles before `startMs`, each on its own and as short as is said: days of history in a few of them.
   * Starts ascend.
   */
  readonly history?: {
    readonly starts: readonly number[];
    readonly cycleMs: number;
  };
  /** Every user has one session in it, always at the same place of the cycle. */
  readonly cycleMs: number;
  /** A session's events lie within this much time after its start. */
  readonly sessionMs: number;
  /** The logging policy is retrained on the item counts this often. */
  readonly periodMs: number;
  readonly rankers: readonly RankerName[];
  /** What models are called in the log and in the truth; by default as they are here. */
  readonly names?: Partial<Readonly<Record<SimulatedModel, string>>>;
  /** Items in a shadow list. As long as the catalogue, `auc` has a true value too. */
  readonly listLength: number;
  /** Items in a list that the logging policy or the uniform policy shows. */
  readonly shownLength: number;
  /** Mean number of relevant items of a user. */
  readonly relevantPerUser: number;
  /** Expected observed popularity is ∝ rank^(−popularityExponent). */
  readonly popularityExponent: number;
  /** Users and items fall into this many groups of taste; 1 makes all users alike. */
  readonly tasteGroups: number;
  /** Expected non-positive interactions (value 0) a session. */
  readonly viewsPerSession: number;
  /** Share of the sessions that also show a list drawn uniformly at random. */
  readonly randomizedShare: number;
  readonly drift?: Drift;
  /** Share of the positive interactions that served lists cause; none where it is not given. */
  readonly causedShare?: number;
  /**
   * How many rankers, from the first on, serve users; one of them is drawn for each session, which
   * is a request then.
   */
  readonly arms?: number;
  /** Share of the sessions that a list drawn at random serves, as one more arm. */
  readonly randomArm?: number;
  /**
   * ε of a logger that shows the first ranker's list or, with this chance, one drawn from the first
   * places of all rankers; each session is a request, and propensities are logged.
   */
  readonly logger?: number;
  /** All shown places alike where it is not given. */
  readonly examination?: Examination;
  /**
   * `shown` names the list that was shown wherever the item stands in it, `caused` where it caused
   * the interaction, `none` never. `caused` where it is not given.
   */
  readonly naming?: Naming;
  /** Crawlers, and the clicks of each in a cycle (100 by default). */
  readonly bots?: number;
  readonly botClicks?: number;
  /** By default the lagged counts; `long-run` follows the target popularity, which never changes. */
  readonly exposuresFollow?: ExposureSource;
  /** Items differ: chances of being shown are multiplied by exp(itemNoise · N(0, 1)), an item each. */
  readonly itemNoise?: number;
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

/** What a model is called in the log. */
export function nameOf({ names }: Pick<SimulationOptions, 'names'>, model: SimulatedModel): string {
  return names?.[model] ?? model;
}

/** @throws UnskewError USAGE if a number is out of its range or options contradict each other. */
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

/** What serving lists, crawlers and exposures ask for beside. */
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
