import type { EstimateDifference, EstimateRow } from '../../src/estimators/results/estimate.js';
import type { OnPolicyRow } from '../../src/features/on-policy/report.js';
import type { RatingDifference, RatingRow } from '../../src/features/ratings/rating-report.js';
import { reason, type ValueReason } from '../../src/features/values/reasons.js';
import type { ValueDifferenceRow } from '../../src/features/values/value-differences.js';
import type { ValueRow } from '../../src/features/values/value-row.js';
import { rowFromV1, type V1Row } from '../../src/outputs/json/v1-row.js';

/** What a test says of a row, by the names of version 1 of the JSON: short, and flat. */
type Said = Omit<V1Row, 'reasons'> & { readonly [name: string]: unknown };

export const estimateOf = (said: Said) => rowFromV1(said, 'estimates') as unknown as EstimateRow;

export const differenceOf = (said: Said & { readonly reference: string }) =>
  rowFromV1(said, 'estimates') as unknown as EstimateDifference;

export const ratingOf = (said: Said) => rowFromV1(said, 'ratings') as unknown as RatingRow;

export const ratingDifferenceOf = (said: Said & { readonly reference: string }) =>
  rowFromV1(said, 'ratings') as unknown as RatingDifference;

/** What shown lists of model a are worth: .4 ± .1, of 90 lists and 80 users. */
export const shownOf = (said: Partial<Said> = {}): OnPolicyRow => {
  const named = { model: 'a', metric: 'value', k: null, estimator: 'on_policy' } as const;
  const numbers = {
    value: 0.4,
    stdErr: 0.1,
    lower: 0.2,
    upper: 0.6,
    ess: 36,
    lists: 90,
    users: 80,
  };
  const whole = { ...named, aggregation: 'pooled', ...numbers, ...said } as Said;
  return rowFromV1(whole, 'on_policy') as unknown as OnPolicyRow;
};

/** Rows of estimates as those of organic interactions. */
export const uncausedOf = (rows: readonly EstimateRow[]): EstimateRow[] =>
  rows.map((row) => ({ ...row, family: 'uncaused' }));

/** An estimate that is withheld. */
export function withheldOf(row: EstimateRow, code: string): EstimateRow {
  const { NaN: none } = Number;
  return {
    ...row,
    value: none,
    stdErr: none,
    lower: none,
    upper: none,
    status: 'withheld',
    reasons: [{ code, consequence: 'withheld', figures: {} }],
  };
}

/** With what estimators of values say against it, by their own names. */
type SaidOfValue = Partial<Said> & { readonly reasons?: readonly ValueReason[] };

/** What a model's lists are worth: 1.5 ± 0.25 by all arms, with nothing against it. */
export function valueRowOf({ reasons, decides = true, ...said }: SaidOfValue = {}): ValueRow {
  const row = rowFromV1(
    {
      model: 'a',
      metric: 'value',
      k: null,
      estimator: 'arms_snips',
      aggregation: 'request',
      value: 1.5,
      stdErr: 0.25,
      lower: 1,
      upper: 2,
      bound: Number.NaN,
      coverage: 1,
      requests: 100,
      ess: 40,
      ...said,
    } as Said,
    'values',
  ) as unknown as ValueRow;
  const few = reason('few_rewards', 'undecided', { ess: 12, least: 30 });
  const given = reasons ?? (decides ? row.reasons : [...row.reasons, few]);
  const has = (asked: string) => given.some(({ consequence }) => consequence === asked);
  const status = has('refused') ? 'refused' : has('bound') ? 'bound' : row.status;
  return { ...row, reasons: given, status };
}

/** A difference of two arms, b less a, that proves nothing, with what a test changes. */
export function valueDifferenceRow(said: Partial<Said> = {}): ValueDifferenceRow {
  const whole = {
    model: 'b',
    reference: 'a',
    metric: 'value',
    k: null,
    aggregation: 'request',
    estimator: 'on_policy',
    referenceEstimator: 'on_policy',
    proved: null,
    value: -0.5,
    stdErr: 0.1,
    lower: -0.7,
    upper: -0.3,
    ess: 40,
    ...said,
  };
  return rowFromV1(
    whole as unknown as Said & { reference: string },
    'values',
  ) as unknown as ValueDifferenceRow;
}

/** How much more a model's lists are worth than `b`'s: 1 ± 0.25, proved. */
export function valueDifferenceOf(said: Partial<Said> = {}): ValueDifferenceRow {
  return valueDifferenceRow({
    model: 'a',
    reference: 'b',
    estimator: 'arms_snips',
    referenceEstimator: 'on_policy',
    value: 1,
    stdErr: 0.25,
    lower: 0.5,
    upper: 1.5,
    proved: 'better',
    ...said,
  });
}
