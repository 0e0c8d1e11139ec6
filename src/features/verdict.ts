/**
 * Verdicts on a pair of models. `none`: no verdict; `same`: both models' lists have the same
 * metric; `immaterial`: the difference is too small to matter; `prefer`: one is better; `probably`
 * and `probably_not`: the model is better, or is not, provided that users examine each position on
 * its own; `leads`: ahead by a corrected metric, which decides nothing; `changed`: better since the
 * start, but the last day contradicts it; `undecided`: not known yet; `unknown`: the served lists
 * overlap too little with the model's; `no_preference`: one has a higher reward, but nothing shows
 * that assignment was randomised.
 */
export const VERDICT_STATES = [
  'none',
  'same',
  'immaterial',
  'prefer',
  'probably',
  'probably_not',
  'leads',
  'changed',
  'undecided',
  'unknown',
  'no_preference',
] as const;

export type VerdictState = (typeof VERDICT_STATES)[number];

/**
 * Kinds of evidence for a verdict, the strongest first: `experiment`, arms with randomised
 * assignment; `propensities`, logged propensities of whole lists; `arms`, arms of a test for a
 * model that is not one of them; `slots`, logged propensities by position; `randomized`, randomised
 * traffic; `metric`, a corrected metric; `observed`, served lists without randomisation.
 */
export const RUNGS = [
  'experiment',
  'propensities',
  'arms',
  'slots',
  'randomized',
  'metric',
  'observed',
] as const;

/** Kind of evidence. */
export type Rung = (typeof RUNGS)[number];

/** Reasons for having no verdict that have a finding of their own. */
export const CODED_REASONS = [
  'young',
  'few_users',
  'stale',
  'unsettled',
  'not_corrected',
  'unpredicted',
] as const;

/**
 * Why a comparison was restarted: an alarm on a model, a marked deployment, or a change of the
 * source of γ.
 */
export const RESTART_CAUSES = ['alarm', 'mark', 'gamma'] as const;
export type RestartCause = (typeof RESTART_CAUSES)[number];

/**
 * All other reasons for having no verdict. The finding `verdict_none` states them as causes, and
 * `verdict-words.ts` says how to remove each cause.
 */
export const NO_VERDICT_CAUSES = [
  'draw_mixed',
  'draw_turns',
  'shares_off',
  'unbalanced',
  'placebo_off',
  'names_differ',
  'requests_lost',
  'unlike_before',
  'mixed_users',
  'shares_off_within',
  'split_changed',
  'lists_cut',
  'late_turns',
  'no_rewards',
  'one_user',
  'lists_lack',
  'lists_follow_arm',
  'examination_unsure',
  'arm_off',
  'arms_disagree',
  'clicks_stop',
  'few_pairs',
  'weights_off',
  'one_row',
  'loggers_differ',
  'no_lists',
  'sampled_out',
  'few_rewards',
  'unnamed',
  'all_caused',
  'one_served',
  'not_trusted',
  'rows_lack',
  'rows_differ',
  'mix_turns',
  'mix_unclear',
] as const;

export type CodedReason = (typeof CODED_REASONS)[number];
export type NoVerdictCause = (typeof NO_VERDICT_CAUSES)[number];
/** Any reason for having no verdict. */
export type NoVerdictReason = CodedReason | NoVerdictCause;

/** Forecast of when a pair of models can be decided. */
export interface Forecast {
  /**
   * Days of event time from now until the verdict; null if the present users will never suffice for
   * one.
   */
  readonly days: number | null;
  /** Number of active users expected in these days; null if active users are not counted. */
  readonly users: number | null;
}

/** Verdict on which of two models is better, as of the last evaluation. */
export interface PairVerdict {
  readonly model: string;
  /** The model whose value is subtracted. */
  readonly reference: string;
  /**
   * Name of the metric; `value` is the expected reward per request. Some rating metrics are errors,
   * where lower is better.
   */
  readonly metric: string;
  readonly k: number | null;
  /**
   * Set if the numbers cover organic interactions only, since an estimate over all interactions is
   * not reported for one of the models.
   */
  readonly isOfUncaused?: true;
  /**
   * `sequence`: valid however often you look (anytime-valid); `single_look`: valid for a single
   * evaluation of one window.
   */
  readonly rule: 'sequence' | 'single_look';
  readonly rung: Rung;
  readonly state: VerdictState;
  /** Why there is no verdict; null if there is one. */
  readonly reason: NoVerdictReason | null;
  /** The better model, or the one that leads; null if neither. */
  readonly better: string | null;
  /** Start of the evaluated period, event time, ms. */
  readonly since: number;
  /** End of the evaluated period, event time, ms. */
  readonly at: number;
  /** Difference D: the model's value minus the reference's. Its interval follows `rule`. */
  readonly value: number;
  readonly stdErr: number;
  readonly lower: number;
  readonly upper: number;
  /** Margin δ: a difference smaller than this does not matter; NaN before the first day is over. */
  readonly margin: number;
  /** Effective number of groups of users, of the model with fewer. */
  readonly ess: number;
  /** Number of differences that are tested together. */
  readonly comparisons: number;
  /** Difference D without correction for popularity. */
  readonly uncorrected: number;
  /** Whether the uncorrected difference or weaker evidence contradicts the verdict. */
  readonly saysOpposite: boolean;
  /** Difference D on the last day. */
  readonly lastDay: number;
  /**
   * Value of γ at which the two models change places: `winsBelow` is better below it, the other
   * model above; null if there is none.
   */
  readonly flip: {
    readonly gamma: number;
    readonly winsBelow: string;
  } | null;
  /** Forecast of when the pair is decided; given while it is undecided, from the second day on. */
  readonly forecast: Forecast | null;
  /** Figures that the sentence on the verdict states beside D. */
  readonly figures?: Readonly<Record<string, number>> & {
    readonly isSharper?: number;
    readonly isIfChance?: number;
    readonly covered?: number;
    readonly listed?: number;
    readonly above?: number;
    readonly repeated?: number;
    /** Fraction of the rated pairs that both models predicted. */
    readonly common?: number;
  };
  /**
   * Names that the reason is about. Usually this is a model. If the mix of users decides, these are
   * the better model, the other model, the dimension and the value. For a preference, these are the
   * dimension and value of each segment in which the other model is better.
   */
  readonly of?: readonly string[];
  /** The model of the pair that has changed during the comparison, if one has. */
  readonly changed?: string;
  /**
   * Time at which the comparison restarts because of the change of the model `changed`, event time,
   * ms.
   */
  readonly startsAgain?: number;
  /** Time at which the model `changed` has changed, event time, ms. */
  readonly changedAt?: number;
  /** How the change of the model `changed` is known. */
  readonly changedBy?: RestartCause;
  /** Metric of weaker evidence that significantly contradicts the verdict. */
  readonly against?: string;
}
