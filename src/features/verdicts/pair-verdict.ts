/**
 * What is said of a pair. `none`: no verdict; `same`: both models' lists gain the same; `immaterial`: no
 * difference that matters; `prefer`; `changed`: better since the start, but the last day says otherwise;
 * `undecided`: not known yet.
 */
export const VERDICT_STATES = [
  'none',
  'same',
  'immaterial',
  'prefer',
  'changed',
  'undecided',
] as const;

export type VerdictState = (typeof VERDICT_STATES)[number];

/**
 * Why there is no verdict: less than a day since the start; too few users; a model without rows for a
 * day; estimates that are withheld; the fourth start within a week. Of ratings: no propensities to
 * correct with; a model that did not predict all rated pairs.
 */
export type NoVerdictReason =
  | 'young'
  | 'few_users'
  | 'stale'
  | 'withheld'
  | 'unsettled'
  | 'not_corrected'
  | 'unpredicted';

/** How long until a pair is settled one way or the other. */
export interface Forecast {
  /** Days of event time from now; null: never with these users. */
  readonly days: number | null;
  /** As many active users as come in these days; null where nobody counts them. */
  readonly users: number | null;
}

/** Which of two models is better, as of the last look. */
export interface PairVerdict {
  readonly model: string;
  /** The model whose value is subtracted. */
  readonly reference: string;
  /** `value`: expected reward of a request; of metrics of ratings some are errors. */
  readonly metric: string;
  readonly k: number | null;
  /** What is summed is what users found by themselves, since estimates of all rows of one are withheld. */
  readonly isOfUncaused?: true;
  /** `sequence`: it holds at all looks; `single_look`: by the 95 % interval of one window. */
  readonly rule: 'sequence' | 'single_look';
  readonly state: VerdictState;
  /** Why there is none; null where there is one. */
  readonly reason: NoVerdictReason | null;
  /** The better one where the state is `prefer` or `changed`; null else. */
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
  readonly flip: { readonly gamma: number; readonly winsBelow: string } | null;
  /** Only there while it is not known, from the second day on. */
  readonly forecast: Forecast | null;
}
