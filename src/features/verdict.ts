import { FEW_USERS } from '../estimators/uncertainty/effective-sample-size.js';

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

/** A difference of one window with its 95 % interval. */
export interface LookedDifference {
  readonly model: string;
  readonly reference: string;
  readonly metric: string;
  readonly k: number | null;
  readonly value: number;
  readonly stdErr: number;
  readonly lower: number;
  readonly upper: number;
  readonly ess: number;
}

export interface LookOptions {
  /** Of what is looked at, event time, ms. */
  readonly from: number;
  readonly to: number;
  /** Why there can be no verdict, whatever the numbers say. */
  readonly objection: NoVerdictReason | null;
  /** Whether the lower value is the better one. */
  readonly isError: boolean;
}

/** The verdict by the 95 % interval alone: one is better if it is clear of 0. */
export function lookVerdict(
  row: LookedDifference,
  { from, to, objection, isError }: LookOptions,
): PairVerdict {
  const { model, reference, metric, k, value, stdErr, lower, upper, ess } = row;
  const reason = objection ?? (ess >= FEW_USERS ? null : 'few_users');
  const higher = lower > 0 ? model : upper < 0 ? reference : null;
  const other = higher === model ? reference : model;
  const better = higher !== null && isError ? other : higher;
  const isSame = stdErr === 0 && value === 0;
  const state = reason !== null ? 'none' : isSame ? 'same' : better ? 'prefer' : 'undecided';
  return {
    ...{ model, reference, metric, k, rule: 'single_look', state, reason },
    ...{ better: state === 'prefer' ? better : null, since: from, at: to },
    ...{ value, stdErr, lower, upper, margin: Number.NaN, ess, comparisons: 1 },
    ...{ uncorrected: Number.NaN, saysOpposite: false, lastDay: Number.NaN },
    ...{ flip: null, forecast: null },
  };
}

/** The same with what the numbers say without correction. */
export function withUncorrected(
  verdict: PairVerdict,
  { value, lower, upper }: Pick<LookedDifference, 'value' | 'lower' | 'upper'>,
): PairVerdict {
  const isClear = lower > 0 || upper < 0;
  return { ...verdict, uncorrected: value, saysOpposite: isClear && value * verdict.value < 0 };
}
