/**
 * The verdict on a pair of models. `none`: no verdict; `same`: both models' lists have the same
 * metric; `immaterial`: the difference is too small to matter; `prefer`: one is better; `probably`
 * and `probably_not`: the model is better, or is not, if users examine each position on its own;
 * `leads`: ahead by a corrected metric, which decides nothing; `changed`: better since the start,
 * but the last day contradicts it; `undecided`: not known yet; `unknown`: the served lists overlap
 * too little with the model's; `no_preference`: one has a higher reward, but nothing shows that
 * assignment was randomised.
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
 * What a verdict rests on, the strongest first: arms that chance drew; logged propensities of whole
 * lists; arms for a model that none of them is; logged propensities by place; randomised traffic; a
 * corrected metric; what was served, without chance.
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

export type Rung = (typeof RUNGS)[number];

/** Reasons why there is no verdict that have a finding of their own. */
export const CODED_REASONS = [
  'young',
  'few_users',
  'stale',
  'unsettled',
  'not_corrected',
  'unpredicted',
] as const;

/** Why a comparison began again: an alarm on a model, a deployment that was marked, or another source of γ. */
export const RESTART_CAUSES = ['alarm', 'mark', 'gamma'] as const;
export type RestartCause = (typeof RESTART_CAUSES)[number];

/** All others, causes of the finding `verdict_none`; `verdict-words.ts` says what would lift each. */
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
export type NoVerdictReason = CodedReason | NoVerdictCause;

/** Forecast of the time until a pair is decided. */
export interface Forecast {
  /** Days of event time from now; null: never with these users. */
  readonly days: number | null;
  /** As many active users as come in these days; null where nobody counts them. */
  readonly users: number | null;
}

/** Verdict on which of two models is better, from the last look. */
export interface PairVerdict {
  readonly model: string;
  /** The model whose value is subtracted. */
  readonly reference: string;
  /** `value`: expected reward of a request; of metrics of ratings some are errors. */
  readonly metric: string;
  readonly k: number | null;
  /**
   * The sums cover organic interactions only, since one model's estimates over all rows are
   * withheld.
   */
  readonly isOfUncaused?: true;
  /**
   * `sequence`: valid however often you look (anytime-valid); `single_look`: from one look at one
   * window.
   */
  readonly rule: 'sequence' | 'single_look';
  readonly rung: Rung;
  readonly state: VerdictState;
  /** Why there is none; null where there is one. */
  readonly reason: NoVerdictReason | null;
  /** The better one, or the one ahead; null where nobody is. */
  readonly better: string | null;
  /** What has been summed, event time, ms. */
  readonly since: number;
  readonly at: number;
  /** D, the model's value minus the reference's, and its interval by the rule. */
  readonly value: number;
  readonly stdErr: number;
  readonly lower: number;
  readonly upper: number;
  /** δ: a difference below it does not matter; NaN before the first day is over. */
  readonly margin: number;
  /** Effective number of groups of users. */
  readonly ess: number;
  /** Differences that are judged together. */
  readonly comparisons: number;
  /** D without correction, and whether it says the opposite. */
  readonly uncorrected: number;
  readonly saysOpposite: boolean;
  /** D of the last day. */
  readonly lastDay: number;
  /** γ below which `winsBelow` is better, and above which the other; null where none changes places. */
  readonly flip: {
    readonly gamma: number;
    readonly winsBelow: string;
  } | null;
  /** Only there while it is not known, from the second day on. */
  readonly forecast: Forecast | null;
  /** Figures that the sentence has beside D. */
  readonly figures?: Readonly<Record<string, number>> & {
    readonly isSharper?: number;
    readonly isIfChance?: number;
    readonly covered?: number;
    readonly listed?: number;
    readonly above?: number;
    readonly repeated?: number;
    /** Share of the rated pairs that both models predicted. */
    readonly common?: number;
  };
  /**
   * Names that the reason is about: a model; of a mix the better one, the other, dimension and value. Of a
   * preference, dimensions and values of users with whom the other one is better.
   */
  readonly of?: readonly string[];
  /** A model of the pair that has changed since, and when what is summed begins again, ms. */
  readonly changed?: string;
  readonly startsAgain?: number;
  /** When it changed, and by what that is known. */
  readonly changedAt?: number;
  readonly changedBy?: RestartCause;
  /** Weaker evidence that is clear and says the opposite, by the name of its metric. */
  readonly against?: string;
}
