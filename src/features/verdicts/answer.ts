import type { NoVerdictReason, VerdictState } from '../verdict.js';

declare module '../../stream/feature-types.js' {
  interface SnapshotReports {
    /** Result of an A/B test; undefined if fewer than two models served lists in the log. */
    readonly experiment?: AbAnswer;
  }
}

/**
 * Result of an A/B test of several models, as shown by every output and in JSON.
 *
 * It is in `Snapshot.experiment`. Read it in this order: `refusal` (why there is no verdict),
 * otherwise the `lifts` of each model over `control`, then `cautions`, the most important first.
 * Unknown numbers are NaN, and null in JSON.
 */
export interface AbAnswer {
  /**
   * Unit of randomisation, by which errors are clustered; null if arms were assigned neither by
   * user nor by request.
   */
  readonly unit: 'user' | 'request' | null;
  /**
   * Whether the unit of randomisation is only assumed to be the user, because too few users
   * returned.
   */
  readonly isUnitAssumed: boolean;
  /**
   * Whether random assignment is only assumed, because no split was declared to test the log
   * against. The sentence then says "if users were assigned at random".
   */
  readonly isRandomisationAssumed: boolean;
  readonly split: AbSplit;
  readonly control: string;
  readonly reward: AbReward;
  /** Start and end of the comparison, event time, ms. */
  readonly since: number;
  readonly at: number;
  /** Length of the comparison in days, rounded up. */
  readonly days: number;
  /** Whether lists were served from Monday to Friday only. */
  readonly isWeekdaysOnly: boolean;
  /** Whether the comparison covers all days of the week. */
  readonly isWholeWeek: boolean;
  /** Whether users' earlier activity is used as a covariate. */
  readonly usesHistory: boolean;
  /** `single_look`: test at one time; `sequence`: anytime-valid. */
  readonly rule: 'single_look' | 'sequence';
  /** All arms: the control first, then the others by name. */
  readonly arms: readonly AbArm[];
  /** Lift of each arm except the control, in the order of `arms`. */
  readonly lifts: readonly AbLift[];
  /** Why there is no verdict; null if there is one. Numbers are given anyway, as far as they are known. */
  readonly refusal: AbRefusal | null;
  /** Cautions, the most important first. */
  readonly cautions: readonly AbCaution[];
}

/** Split of users or requests between arms. */
export interface AbSplit {
  /** Declared share by model; null if not declared. */
  readonly declared: Readonly<Record<string, number>> | null;
  /** Observed share of users or requests by model. */
  readonly served: Readonly<Record<string, number>>;
  /** p-value of `served` under `declared`; NaN without a declared split. */
  readonly p: number;
}

/** Definition of the reward. */
export interface AbReward {
  /** The one rewarded action, such as `click`; null if `events.actions` gives several a reward. */
  readonly action: string | null;
  /** `count`: 1 per event; `worth`: by `events.actions`; `value`: the sum of the events' values. */
  readonly by: 'count' | 'worth' | 'value';
}

/** Users and rewards of one arm. */
export interface AbArm {
  readonly model: string;
  readonly users: number;
  /** Number of lists served to the arm's users. */
  readonly requests: number;
  /** All rewards of the arm's users; for a split by request, the rewards attributed to its lists. */
  readonly rewards: number;
  /** Mean reward per user, adjusted for history; reported for a split by user. */
  readonly perUser: number;
  /** Mean reward per list, from interactions attributed to it by id; reported for a split by request. */
  readonly perRequest: number;
}

/** Lift of one arm over the control. */
export interface AbLift {
  readonly model: string;
  /** D, the arm's mean reward minus the control's, per user or per request (see `of`). */
  readonly difference: number;
  /** Standard error of D: the larger of the Wald and the score error. */
  readonly stdErr: number;
  /** Interval of D, as wide as the rule and the number of comparisons require. */
  readonly lower: number;
  readonly upper: number;
  /** D as a share of the control's mean, with Fieller's interval; NaN if the control's mean may be 0. */
  readonly lift: number;
  readonly liftLower: number;
  readonly liftUpper: number;
  /** D divided by its Wald error. */
  readonly z: number;
  /** D divided by its score error. */
  readonly score: number;
  /**
   * Which rewards are compared. `all`: all rewards per user; `named`: rewards with list ids, per
   * user; `per_request`: rewards per request. A form sharper than `all` is used only if it agrees
   * with `all`.
   */
  readonly of: 'all' | 'named' | 'per_request';
  /** State of the verdict on the arm and the control; `none` with a refusal. */
  readonly verdict: VerdictState;
  /** Name of the better model; null if the verdict prefers none. */
  readonly better: string | null;
}

/**
 * Why a test has no verdict, with the figures and names in its sentence.
 *
 * A code is the reason for which a pair has no verdict. A test of served lists has the following
 * codes, each with its figures and, after "of", its names: `draw_mixed` (`same`, `expected`),
 * `shares_off` (`served`, `stated`; of [model]), `shares_off_within` (`served`, `stated`; of
 * [model, dimension, value]), `split_changed` (`day`, from 1), `unlike_before` (`more`; of
 * [model]), `lists_cut` (`share`, `other`; of [model]), `late_turns` (`without`, `with`; of
 * [model]), `few_users` (`users`), `no_rewards`, `young`, `stale`. If requests have the lists of
 * all models, there are further codes.
 */
export interface AbRefusal {
  readonly code: NoVerdictReason;
  readonly figures: Readonly<Record<string, number>>;
  readonly of: readonly string[];
}

/** A caution shown with the test's sentence or on a line below it. */
export interface AbCaution {
  readonly code: AbCautionCode;
  readonly figures: Readonly<Record<string, number>>;
  readonly of: readonly string[];
}

export const AB_CAUTIONS = [
  /**
   * Rewards with list ids differ between arms, but all rewards do not. Figures: `lift` in rewards
   * with list ids, `all`, the lift in all rewards; subject: [model].
   */
  'moved',
  /** Users of an arm made more or fewer requests. Figures: `lift`, the ratio minus 1, and `z`; subject: [model]. */
  'requests_differ',
  /** Attributed clicks after the horizon differ by arm. Figures: `share`, `other`, `z`; subject: [model]. */
  'late_clicks',
  /** Arms have different rewards for the same items. Figure: `z`; subject: [model]. */
  'items_differ',
  /**
   * The difference shrinks. Figures: `share`, the fraction of the difference that is gone; `day`,
   * the first day of the decrease (from 1); `z`; subject: [model].
   */
  'shrinking',
  /** Some lists came from another arm, so the difference is understated. Figure: `share`. */
  'strays',
  /** The test is shorter than a week. Figures: `days`, `weekdays` (1 if they are Monday to Friday). */
  'part_week',
  /** The horizon of some requests has not passed. Figures: `share`, `isLeftOut` (1 if they are left out). */
  'pending',
  /** The table of users is full. Figure: `users`. */
  'users_full',
  /** There is neither a declared split nor history to test the split. */
  'split_unchecked',
] as const;

export type AbCautionCode = (typeof AB_CAUTIONS)[number];
