import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import type { NoVerdictReason, PairVerdict } from './pair-verdict.js';

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
