import type { Estimate, EstimateDifference } from '../results/estimate.js';
import type { FeedbackReport } from '../results/feedback-report.js';
import { type CausedShares, type Verdict, verdictOn } from './verdict.js';

/** What of a window's estimates may be given. */
export interface Judged {
  readonly results: Estimate[];
  readonly differences: EstimateDifference[];
}

/**
 * Judges every estimate by what shown lists caused, and every difference by its two sides. A number
 * that is withheld is NaN, with the reason beside it; in the mode `caution` it stands, as doubtful.
 *
 * @param results with their shares. @param before names of the estimates that were withheld the
 * last time, see `nameOf`.
 */
export function withhold(
  results: readonly Estimate[],
  differences: readonly EstimateDifference[],
  report: Pick<FeedbackReport, 'mode' | 'source' | 'caused'>,
  before: ReadonlySet<string>,
): Judged {
  const judged = results.map((row) => judge(row, report, before.has(nameOf(row))));
  const withheld = new Map(judged.map((row) => [nameOf(row), row.withheld ?? null]));
  return {
    results: judged,
    differences: differences.map((row) => {
      const reason = withheld.get(nameOf(row)) ?? withheld.get(nameOf(row, row.reference)) ?? null;
      return reason === null
        ? { ...row, withheld: null }
        : { ...row, ...UNKNOWN, withheld: reason };
    }),
  };
}

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

function judge(
  row: Estimate,
  { mode, source, caused }: Pick<FeedbackReport, 'mode' | 'source' | 'caused'>,
  wasWithheld: boolean,
): Estimate {
  const { shares: found, ...estimate } = row;
  // Measured on randomised traffic: no policy's list had a say in it.
  if (found === undefined) return { ...estimate, withheld: null };
  const shares = source === 'named' ? found : unnamed(caused);
  const verdict = verdictOn(shares, row.value, row.stdErr, wasWithheld);
  const { own, other } = shares;
  const known = { ...estimate, caused: shares.caused, own, other };
  if (mode === 'caution') return { ...known, withheld: null, isDoubtful: isObjected(verdict) };
  if (verdict.withheld !== null) {
    const { samplingStdErr: _, ...rest } = known;
    return { ...rest, ...NO_NUMBERS, withheld: verdict.withheld, isDoubtful: false };
  }
  return { ...known, ...verdict };
}

/** All that is known without names is how much lists caused altogether. */
function unnamed(caused: number): CausedShares {
  return { caused, own: Number.NaN, other: Number.NaN, hasOthers: true };
}

function isObjected({ withheld, isDoubtful }: Verdict): boolean {
  return withheld !== null || isDoubtful;
}
