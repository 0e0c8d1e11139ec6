import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import type { PlausibleGamma } from '../../estimators/propensity/gamma-error.js';
import type { EstimateDifference } from '../../estimators/results/estimate.js';
import type { GammaFlip } from '../../estimators/results/sensitivity.js';
import { isDecisive, isGiven } from '../../rows/reading.js';
import type { ValueDifferenceRow } from '../values/value-differences.js';
import { lookVerdict, type PairVerdict, withUncorrected } from '../verdict.js';
import { gammaFlip } from './gamma-flip.js';

/** γ at which nothing is corrected. */
const NO_CORRECTION = -1;

/** A window that is looked at once. */
export interface LookedAt {
  readonly from: number;
  readonly to: number;
  /** Of estimates, and of what users found by themselves where that was estimated. */
  readonly differences: readonly EstimateDifference[];
  readonly uncaused: readonly EstimateDifference[];
  readonly valueDifferences: readonly ValueDifferenceRow[];
  /** Where models change places by the metric that decides, ascending by γ. */
  readonly flips: readonly GammaFlip[];
  /** γ in use, and what it may be. */
  readonly gamma: number;
  readonly plausibleGamma: PlausibleGamma;
}

/**
 * Verdicts on a window that nobody looks at again: each model against the reference, by what lists are
 * worth where something may be decided on that, else by the corrected metric, of what users found by
 * themselves where the whole is withheld.
 *
 * One is preferred whose 95 % interval of the difference is clear of 0, and that is ahead at every
 * plausible γ. That rule is for one look at one pair; repeated, or over many models, it errs more often
 * (see `judgePair`).
 *
 * @param metric the one that decides. @returns none for a metric that was not estimated.
 * @example
 * const rows = { differences: [], uncaused: [], valueDifferences: [], flips: [] };
 * const window = { from: 0, to: 1, ...rows, gamma: 0, plausibleGamma: { lower: -1, upper: 1 } };
 * singleLook(window, { metric: 'recall', k: 10 }); // []
 */
export function singleLook(
  window: LookedAt,
  metric: { readonly metric: string; readonly k: number | null },
): PairVerdict[] {
  const isAsked = (row: EstimateDifference) =>
    row.metric === metric.metric && row.k === metric.k && row.form === 'pooled';
  const look = { from: window.from, to: window.to, isError: false };
  const given = window.differences.filter(isAsked);
  const uncaused = window.uncaused.filter(isAsked);
  return given
    .filter(({ estimator }) => estimator === LEADING)
    .map((row) => {
      const isOfPair = (own: { model: string; reference: string }) =>
        own.model === row.model && own.reference === row.reference;
      const valued = window.valueDifferences.find((own) => isOfPair(own) && isDecisive(own));
      if (valued !== undefined) return lookVerdict(valued, { ...look, objection: null });
      const isWithheld = !isGiven(row);
      const rows = (isWithheld ? uncaused : given).filter(isOfPair);
      const found = rows.find(({ estimator }) => estimator === LEADING);
      const verdict = lookVerdict(found ?? row, {
        ...look,
        objection: found === undefined ? 'withheld' : null,
      });
      const plain = rows.find(({ estimator }) => estimator === UNCORRECTED);
      const flip = isWithheld ? flipOfUncaused(verdict, plain, window) : flipOf(verdict, window);
      const compared = plain === undefined ? verdict : withUncorrected(verdict, plain);
      const told: PairVerdict = isWithheld ? { ...compared, isOfUncaused: true } : compared;
      return flip !== null && told.state === 'prefer'
        ? { ...told, state: 'undecided', better: null, flip }
        : told;
    });
}

/** Where the pair changes places at a plausible γ. */
function flipOf(
  { model, reference }: PairVerdict,
  { flips, plausibleGamma: { lower, upper } }: LookedAt,
): PairVerdict['flip'] {
  const found = flips.find(({ below, above, gamma }) => {
    const isOfPair = [below, above].every((own) => own === model || own === reference);
    return isOfPair && gamma >= lower && gamma <= upper;
  });
  return found === undefined ? null : { gamma: found.gamma, winsBelow: found.below };
}

/**
 * The same of what users found by themselves, which is estimated at one γ and at γ = −1, where nothing
 * is corrected: on the line through the two, as far as γ may be.
 */
function flipOfUncaused(
  { model, reference, value }: PairVerdict,
  plain: EstimateDifference | undefined,
  { plausibleGamma: { lower, upper }, gamma }: LookedAt,
): PairVerdict['flip'] {
  if (plain === undefined || lower > NO_CORRECTION || gamma <= NO_CORRECTION) return null;
  const slope = (value - plain.value) / (gamma - NO_CORRECTION);
  const at = gammaFlip([
    { gamma: NO_CORRECTION, value: plain.value },
    { gamma, value },
    { gamma: upper, value: value + slope * (upper - gamma) },
  ]);
  return at === undefined ? null : { gamma: at, winsBelow: plain.value > 0 ? model : reference };
}
