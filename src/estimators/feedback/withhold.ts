import type { Estimate, EstimateDifference } from '../results/estimate.js';
import type { FeedbackReport } from '../results/feedback-report.js';
import { combinedShares } from './unnamed-share.js';
import {
  type CausedShares,
  type EstimatedShares,
  type Verdict,
  verdictOn,
  type WithheldReason,
} from './verdict.js';
import type { WindowCause } from './window-cause.js';

/** What of a window's estimates may be given. */
export interface Judged {
  readonly results: Estimate[];
  readonly differences: EstimateDifference[];
}

/**
 * Judges every estimate by what shown lists caused, and every difference by its two sides. A number
 * that is withheld is NaN, with the reason beside it; in the mode `caution` it stands, as doubtful.
 *
 * The rows themselves are changed: to copy all fields of all rows takes longer than the verdicts.
 *
 * @param results with their shares. @param before names of the estimates that were withheld the
 * last time, see `nameOf`.
 */
export function withhold(
  results: readonly Estimate[],
  differences: readonly EstimateDifference[],
  report: Pick<FeedbackReport, 'mode'> & KnownCause,
  before: ReadonlySet<string>,
): Judged {
  const withheld = new Map<string, WithheldReason>();
  const doubtful = new Set<string>();
  const judged = results.map((row) => {
    const wasWithheld = before.size > 0 && before.has(nameOf(row));
    const verdict = verdictOf(row, report, wasWithheld);
    // They came last, so that the row stays as quick to read as it was.
    delete (row as Shared).shares;
    if (verdict.withheld) delete (row as Shared).samplingStdErr;
    const found = Object.assign(row, verdict);
    if (found.withheld) withheld.set(nameOf(row), found.withheld);
    if (found.isDoubtful) doubtful.add(nameOf(row));
    return found;
  });
  const reasonOf = (row: EstimateDifference) =>
    withheld.get(nameOf(row)) ?? withheld.get(nameOf(row, row.reference)) ?? null;
  const isOneDoubtful = (row: EstimateDifference) =>
    doubtful.has(nameOf(row)) || doubtful.has(nameOf(row, row.reference));
  return {
    results: judged,
    differences: differences.map((row) => {
      const reason = withheld.size === 0 ? null : reasonOf(row);
      if (reason !== null) {
        return Object.assign(row, { ...UNKNOWN, withheld: reason, isDoubtful: false });
      }
      const isDoubtful = doubtful.size > 0 && isOneDoubtful(row);
      return Object.assign(row, { withheld: null, isDoubtful });
    }),
  };
}

type Shared = { -readonly [Field in keyof Estimate]: Estimate[Field] };

const GIVEN = { withheld: null };

/** Names of withheld estimates, by window. */
export type WithheldNames = Readonly<Record<string, readonly string[]>>;

/** Names an estimate among those of its window. */
export function nameOf(
  { model, metric, k, estimator, aggregation }: Named,
  of: string = model,
): string {
  return JSON.stringify([of, metric, k, estimator, aggregation]);
}

type Named = Pick<Estimate, 'model' | 'metric' | 'k' | 'estimator' | 'aggregation'>;

const UNKNOWN = {
  value: Number.NaN,
  stdErr: Number.NaN,
  lower: Number.NaN,
  upper: Number.NaN,
  gammaStdErr: Number.NaN,
};

const NO_NUMBERS = {
  ...UNKNOWN,
  ...{ gammaSlope: Number.NaN, numerator: Number.NaN, denominator: Number.NaN },
  ...{ other: Number.NaN, guarantees: [] },
};

/** What the verdict changes of a row. */
function verdictOf(
  row: Estimate,
  { mode, ...cause }: Pick<FeedbackReport, 'mode'> & KnownCause,
  wasWithheld: boolean,
): Partial<Estimate> {
  const { shares: found } = row;
  // Measured on randomised traffic: no policy's list had a say in it.
  if (found === undefined) return GIVEN;
  const shares = sharesOf(found, cause);
  const verdict = verdictOn(shares, row.value, row.stdErr, wasWithheld);
  const known = { caused: shares.caused, own: shares.own, other: shares.other };
  if (mode === 'caution') {
    const objection = verdict.withheld;
    const isDoubtful = isObjected(verdict);
    return { ...known, withheld: null, isDoubtful, ...(objection && { objection }) };
  }
  if (verdict.withheld === null) return { ...known, ...verdict };
  const { withheld } = verdict;
  return { ...known, ...NO_NUMBERS, withheld, isDoubtful: false };
}

type KnownCause = Pick<WindowCause, 'source' | 'named' | 'arms'>;

/**
 * By names where they are complete; with what lists caused beside where they are not. Without any,
 * all that is known is how much lists caused altogether.
 */
function sharesOf(found: CausedShares, { source, named, arms }: KnownCause): EstimatedShares {
  if (source === 'named') return found;
  const isUnnamed = !(named > 0);
  const known = isUnnamed ? { own: Number.NaN, other: Number.NaN, hasOthers: true } : found;
  if (arms === null) return { ...known, caused: Number.NaN };
  return { ...known, ...combinedShares(isUnnamed ? 0 : found.caused, arms) };
}

function isObjected({ withheld, isDoubtful }: Verdict): boolean {
  return withheld !== null || isDoubtful;
}
