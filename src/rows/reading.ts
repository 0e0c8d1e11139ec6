import { LEADING } from '../estimators/names.js';
import type { Consequence, Reason, Row } from './row.js';

/** Shared empty list, for rows without reasons. */
export const NO_REASONS: readonly never[] = Object.freeze([]);

interface Reasoned {
  readonly status: Row['status'];
  readonly reasons: readonly Pick<Reason, 'code' | 'consequence'>[];
}

/** Whether a number is reported, either as an estimate or as a bound. */
export function isGiven({ status }: Pick<Row, 'status'>): boolean {
  return status === 'given' || status === 'bound';
}

/** Code of the first reason that has one of the given consequences; null if none has. */
export function codeOf<Code extends string>(
  {
    reasons,
  }: {
    readonly reasons: readonly {
      code: Code;
      consequence: Consequence;
    }[];
  },
  ...consequences: readonly Consequence[]
): Code | null {
  return reasons.find((own) => consequences.includes(own.consequence))?.code ?? null;
}

/** Code of the reason why a number is missing or not reported; null if it is reported. */
export function reasonOf({ reasons }: Pick<Reasoned, 'reasons'>): string | null {
  return codeOf({ reasons }, 'refused', 'withheld');
}

/** Whether a number needs caution. */
export function isDoubtful({ reasons }: Pick<Reasoned, 'reasons'>): boolean {
  return codeOf({ reasons }, 'caution') !== null;
}

/**
 * Whether a verdict or alert may rest on a number. It may not if the standard error is unknown, as
 * for a single user.
 */
export function isDecisive(row: Reasoned & Pick<Row, 'stdErr'>): boolean {
  return isGiven(row) && Number.isFinite(row.stdErr) && codeOf(row, 'undecided') === null;
}

/** Name of a row's form in labels and in version 1 of the JSON, where lists count as pooled. */
export function aggregationOf({ form }: Pick<Row, 'form'>): 'pooled' | 'user' | 'request' {
  return form === 'list' ? 'pooled' : form;
}

/**
 * Select the estimates of the leading form: pooled snips, or else the first estimator and its
 * closest form.
 */
export function ofLeadingForm<Each extends Pick<Row, 'estimator' | 'form'>>(
  rows: readonly Each[],
): readonly Each[] {
  const estimator = rows.some((row) => row.estimator === LEADING) ? LEADING : rows[0]?.estimator;
  const own = rows.filter((row) => row.estimator === estimator);
  const pooled = own.filter(({ form }) => form === 'pooled');
  return pooled.length > 0 ? pooled : own;
}
