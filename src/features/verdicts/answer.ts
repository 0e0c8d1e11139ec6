import type { NoVerdictReason, VerdictState } from '../verdict.js';

declare module '../../stream/feature-types.js' {
  interface SnapshotReports {
    /** What an A/B test says; undefined if the log does not hold lists that two models served. */
    readonly experiment?: AbAnswer;
  }
}

/**
 * The A/B answer: what a test of several models says, as every output shows it and JSON writes it.
 *
 * It stands in `Snapshot.experiment`. Read it in this order: `refusal` (there is no verdict, and why),
 * else one of `lifts` for each model against `control`, then `cautions`, those that could change most
 * first. Numbers that are not known are NaN, and null in JSON.
 */
export interface AbAnswer {
  /** What was randomised, and what an error is clustered by; null if assignment is neither. */
  readonly unit: 'user' | 'request' | null;
  /** Whether too few users returned to tell, so that `unit` is taken for the user. */
  readonly isUnitAssumed: boolean;
  /**
   * Whether the sentence says "if users were assigned at random": no split was stated that the log
   * could be tested against.
   */
  readonly isRandomisationAssumed: boolean;
  readonly split: AbSplit;
  readonly control: string;
  readonly reward: AbReward;
  /** First and last instant of what is compared, event time, ms. */
  readonly since: number;
  readonly at: number;
  /** Days with lists. */
  readonly days: number;
  /** Whether all of these days are Monday to Friday, and whether there are seven in a row. */
  readonly isWeekdaysOnly: boolean;
  readonly isWholeWeek: boolean;
  /** Whether what users did before took part as a covariate. */
  readonly usesHistory: boolean;
  /** `single_look`: by one look; `sequence`: however often one looks. */
  readonly rule: 'single_look' | 'sequence';
  /** By name, the control first. */
  readonly arms: readonly AbArm[];
  /** One for each arm but the control, in the order of `arms`. */
  readonly lifts: readonly AbLift[];
  /** Why there is no verdict; null if there is one. All numbers stand beside it, as far as they are known. */
  readonly refusal: AbRefusal | null;
  /** What could change the verdict most first. */
  readonly cautions: readonly AbCaution[];
}

/** How users, or requests, are split between arms. */
export interface AbSplit {
  /** By model; null if nobody stated it. */
  readonly declared: Readonly<Record<string, number>> | null;
  /** By model, as it was: shares of users, or of requests. */
  readonly served: Readonly<Record<string, number>>;
  /** p-value of `served` under `declared`; NaN without one. */
  readonly p: number;
}

/** What users earn. */
export interface AbReward {
  /** The one action that earns, such as `click`; null if several do, each by `events.actions`. */
  readonly action: string | null;
  /** `count`: 1 each; `worth`: by `events.actions`; `value`: the sum of the events' values. */
  readonly by: 'count' | 'worth' | 'value';
}

/** What one arm's users did. */
export interface AbArm {
  readonly model: string;
  readonly users: number;
  /** Lists that they were served. */
  readonly requests: number;
  /** All that they earned, whatever led to it; a request split: what their lists earned. */
  readonly rewards: number;
  /** Mean reward per user, history taken out: what the sentence says of a user split. */
  readonly perUser: number;
  /** Mean reward of a list by the interactions that name it: what the sentence says of a request split. */
  readonly perRequest: number;
}

/** Lift of one arm over the control. */
export interface AbLift {
  readonly model: string;
  /** D, the arm's mean minus the control's, by `unit`. */
  readonly difference: number;
  /** The greater of the Wald and the score error. */
  readonly stdErr: number;
  /** Interval of D by the verdict's own multiplier. */
  readonly lower: number;
  readonly upper: number;
  /** D as a share of the control's mean, with Fieller's interval; NaN if the control's mean may be 0. */
  readonly lift: number;
  readonly liftLower: number;
  readonly liftUpper: number;
  /** D in Wald errors, and in score errors. */
  readonly z: number;
  readonly score: number;
  /**
   * What difference and lift are of: `all` rewards per user, those that `named` lists, or rewards
   * `per_request`; a sharper form than all rewards only if it agrees with them.
   */
  readonly of: 'all' | 'named' | 'per_request';
  /** `prefer` and `better` say which; `none` with a refusal. */
  readonly verdict: VerdictState;
  readonly better: string | null;
}

/**
 * Why a test has no verdict, with the figures that its sentence says.
 *
 * Codes are those of pairs without a verdict. Of a test of served lists: `draw_mixed` (`same`, `expected`),
 * `shares_off` (`served`, `stated`; of [model]), `shares_off_within` (the same; of [model, dimension, value]),
 * `split_changed` (`day`, from 1), `unlike_before` (`more`; of [model]), `lists_cut` (`share`, `other`; of
 * [model]), `late_turns` (`without`, `with`; of [model]), `few_users` (`users`), `no_rewards`,
 * `young`, `stale`. What lists of all models tell adds others.
 */
export interface AbRefusal {
  readonly code: NoVerdictReason;
  readonly figures: Readonly<Record<string, number>>;
  readonly of: readonly string[];
}

/** A caution for the sentence of the test, or for a line below it. */
export interface AbCaution {
  readonly code: AbCautionCode;
  readonly figures: Readonly<Record<string, number>>;
  readonly of: readonly string[];
}

export const AB_CAUTIONS = [
  /** Named rewards differ and all rewards do not: `lift` of named, and of `all`; of [model]. */
  'moved',
  /** Users of an arm made more, or fewer, requests: `ratio` − 1 as `lift`, `z`; of [model]. */
  'requests_differ',
  /** Named clicks after the horizon differ by arm: `share`, `other`, `z`; of [model]. */
  'late_clicks',
  /** Arms earn unlike with the same items: `z`; of [model]. */
  'items_differ',
  /** The difference shrinks: `share` of it that is gone, since `day` (from 1); `z`; of [model]. */
  'shrinking',
  /** Some lists came from another arm, so the difference is understated: `share`. */
  'strays',
  /** The test is shorter than a week: `days`, `weekdays` 1 if they are Monday to Friday. */
  'part_week',
  /** Requests whose horizon has not passed: `share`, `isLeftOut` 1 if they are left out. */
  'pending',
  /** There was room for so many `users` only. */
  'users_full',
  /** Neither a split nor history: nothing tests the split. */
  'split_unchecked',
] as const;

export type AbCautionCode = (typeof AB_CAUTIONS)[number];
