import { LEADING } from '../estimators/names.js';
import type { Consequence, Reason, Row } from './row.js';

/** Reasons of a row without any, shared by all such rows. */
export const NO_REASONS: readonly never[] = Object.freeze([]);

interface Reasoned {
  readonly status: Row['status'];
  readonly reasons: readonly Pick<Reason, 'code' | 'consequence'>[];
}

/** Whether there is a number: an estimate, or a bound. */
export function isGiven({ status }: Pick<Row, 'status'>): boolean {
  return status === 'given' || status === 'bound';
}

/** The code of the first reason with a consequence; null if there is none. */
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

/** Why there is no number; null if there is one. */
export function reasonOf({ reasons }: Pick<Reasoned, 'reasons'>): string | null {
  return codeOf({ reasons }, 'refused', 'withheld');
}

/** Whether the number needs caution. */
export function isDoubtful({ reasons }: Pick<Reasoned, 'reasons'>): boolean {
  return codeOf({ reasons }, 'caution') !== null;
}

/**
 * Whether the number may decide anything. A number without a standard error, as from a single user,
 * may not.
 */
export function isDecisive(row: Reasoned & Pick<Row, 'stdErr'>): boolean {
  return isGiven(row) && Number.isFinite(row.stdErr) && codeOf(row, 'undecided') === null;
}

/** Name of a row's form in labels and in version 1 of the JSON. */
export function aggregationOf({ form }: Pick<Row, 'form'>): 'pooled' | 'user' | 'request' {
  return form === 'list' ? 'pooled' : form;
}

/** Select the estimates of the leading form: pooled snips, or the closest to it. */
export function ofLeadingForm<Each extends Pick<Row, 'estimator' | 'form'>>(
  rows: readonly Each[],
): readonly Each[] {
  const estimator = rows.some((row) => row.estimator === LEADING) ? LEADING : rows[0]?.estimator;
  const own = rows.filter((row) => row.estimator === estimator);
  const pooled = own.filter(({ form }) => form === 'pooled');
  return pooled.length > 0 ? pooled : own;
}
