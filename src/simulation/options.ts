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
}

/** Which shown lists interactions name as the exposure that led to them. */
export const NAMINGS = ['shown', 'caused', 'none'] as const;
export type Naming = (typeof NAMINGS)[number];

/** θ by place of a served list, 1 for the first; `flat`: 1 for all that are shown. */
export type Examination = readonly number[] | 'flat';

/** Every model that a log may hold, as the simulation knows it. */
export const SIMULATED_MODELS = [...RANKERS, LOGGING_MODEL, UNIFORM_MODEL] as const;
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
