import { LEADING } from '../estimators/names.js';
import type { Consequence, Reason, Row } from './row.js';

/** Of a row that nothing speaks against: one for all, as there are many. */
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

/** Whether the number is to be read with care. */
export function isDoubtful({ reasons }: Pick<Reasoned, 'reasons'>): boolean {
  return codeOf({ reasons }, 'caution') !== null;
}

/** Whether something may be decided on it: of a single user nobody knows how far it may be off. */
export function isDecisive(row: Reasoned & Pick<Row, 'stdErr'>): boolean {
  return isGiven(row) && Number.isFinite(row.stdErr) && codeOf(row, 'undecided') === null;
}

/** The form of a row by the name that labels and version 1 of the JSON have for it. */
export function aggregationOf({ form }: Pick<Row, 'form'>): 'pooled' | 'user' | 'request' {
  return form === 'list' ? 'pooled' : form;
}

/** Of some estimates those of the form that leads: pooled snips, or what comes closest to it. */
export function ofLeadingForm<Each extends Pick<Row, 'estimator' | 'form'>>(
  rows: readonly Each[],
): readonly Each[] {
  const estimator = rows.some((row) => row.estimator === LEADING) ? LEADING : rows[0]?.estimator;
  const own = rows.filter((row) => row.estimator === estimator);
  const pooled = own.filter(({ form }) => form === 'pooled');
  return pooled.length > 0 ? pooled : own;
}
