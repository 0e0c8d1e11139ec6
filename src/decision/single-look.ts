import { LEADING, UNCORRECTED } from '../estimators/names.js';
import type { EstimateDifference } from '../estimators/results/estimate.js';
import { FEW_USERS } from '../estimators/uncertainty/effective-sample-size.js';
import type { ValueDifferenceRow } from '../estimators/value/comparison/value-differences.js';
import type { PairVerdict } from './pair-verdict.js';

/** A window that is looked at once. */
export interface LookedAt {
  readonly from: number;
  readonly to: number;
  /** Of estimates, and of what users found by themselves where that was estimated. */
  readonly differences: readonly EstimateDifference[];
  readonly uncaused: readonly EstimateDifference[];
  readonly valueDifferences: readonly ValueDifferenceRow[];
}

type Row = Pick<
  EstimateDifference,
  'model' | 'reference' | 'metric' | 'k' | 'value' | 'stdErr' | 'lower' | 'upper' | 'ess'
>;
type Measured = Omit<Row, 'metric'> & { readonly metric: string };

/**
 * Verdicts on a window that nobody looks at again: each model against the reference, by what lists are
 * worth where something may be decided on that, else by the corrected metric, of what users found by
 * themselves where the whole is withheld.
 *
 * One is preferred whose 95 % interval of the difference is clear of 0. That rule is for one look at one
 * pair; repeated, or over many models, it errs more often (see `judgePair`).
 *
 * @param metric the one that decides. @returns none for a metric that was not estimated.
 * @example
 * const window = { from: 0, to: 1, differences: [], uncaused: [], valueDifferences: [] };
 * singleLook(window, { metric: 'recall', k: 10 }); // []
 */
export function singleLook(
  window: LookedAt,
  metric: { readonly metric: string; readonly k: number | null },
): PairVerdict[] {
  const isAsked = (row: EstimateDifference) =>
    row.metric === metric.metric && row.k === metric.k && row.aggregation === 'pooled';
  const given = window.differences.filter(isAsked);
  const uncaused = window.uncaused.filter(isAsked);
  return given
    .filter(({ estimator }) => estimator === LEADING)
    .map((row) => {
      const isOfPair = (own: { model: string; reference: string }) =>
        own.model === row.model && own.reference === row.reference;
      const valued = window.valueDifferences.find((own) => isOfPair(own) && own.decides);
      if (valued !== undefined) return verdictOn(valued, window, null);
      const isWithheld = (row.withheld ?? null) !== null;
      const rows = (isWithheld ? uncaused : given).filter(isOfPair);
      const found = rows.find(({ estimator }) => estimator === LEADING);
      const verdict = verdictOn(found ?? row, window, found === undefined ? 'withheld' : null);
      const plain = rows.find(({ estimator }) => estimator === UNCORRECTED);
      return plain === undefined ? verdict : withUncorrected(verdict, plain);
    });
}

function withUncorrected(
  verdict: PairVerdict,
  { value, lower, upper }: EstimateDifference,
): PairVerdict {
  const isClear = lower > 0 || upper < 0;
  return { ...verdict, uncorrected: value, saysOpposite: isClear && value * verdict.value < 0 };
}

function verdictOn(
  row: Measured,
  { from, to }: LookedAt,
  objection: PairVerdict['reason'],
): PairVerdict {
  const { model, reference, metric, k, value, stdErr, lower, upper, ess } = row;
  const reason = objection ?? (ess >= FEW_USERS ? null : 'few_users');
  const better = lower > 0 ? model : upper < 0 ? reference : null;
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
