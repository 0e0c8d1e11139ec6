/** Why an estimate is withheld. */
export const WITHHELD_REASONS = [
  'caused_by_lists',
  'own_lists',
  'no_other_rows',
  'circular',
  'own_random_lists',
] as const;

export type WithheldReason = (typeof WITHHELD_REASONS)[number];

/** Reason code of an estimate that is reported although driven interactions may distort it. */
export const DOUBTFUL = 'caused_in_part';

/** Shares of an estimate that rest on interactions driven by recommendations. */
export interface CausedShares {
  /** Share of the weights on rows that any shown list caused. */
  readonly caused: number;
  /** Share of the weights on rows that the model's own lists caused; NaN if list ids are missing. */
  readonly own: number;
  /** R over the rows that the model's own lists did not cause; NaN if there are none or causes are not known. */
  readonly other: number;
  /** Whether there are rows that the model's own lists did not cause. */
  readonly hasOthers: boolean;
}

/** Shares with lower and upper bounds of `caused`, if it is estimated. */
export interface EstimatedShares extends CausedShares {
  readonly least?: number;
  readonly most?: number;
}

export interface Verdict {
  /** Null if the estimate may be reported. */
  readonly withheld: WithheldReason | null;
  /** Whether the estimate is reported with a caution. */
  readonly isDoubtful: boolean;
}

/**
 * Limits on two numbers: the share of caused rows, and the relative inflation of R by own rows. If
 * either exceeds the first limit, the estimate is withheld; if either exceeds the second, it is
 * doubtful.
 */
export const WITHHELD_ABOVE = 0.1;
export const DOUBTFUL_ABOVE = 0.02;
/**
 * A withheld estimate is reported again once both numbers are below this limit, so that it does not
 * flicker.
 */
export const GIVEN_AGAIN_BELOW = 0.08;

/**
 * Decide whether an estimate R may be reported although shown lists caused some of its rows.
 *
 * An item that a list brought to the user ranks high in that list, even if the user would have
 * found it anyway, so rows that the model's own lists caused (own rows) inflate R. With w a row's
 * weight, own = Σw 1{own} / Σw, any = Σw 1{caused} / Σw, and R_other the same estimate over the
 * rows that are not own, R = own · R_own + (1 − own) · R_other.
 *
 * - Withheld: any > .10 (caused by lists of any model), R − R_other > .10 R_other, or all rows are
 *   own. An estimate withheld at the last tick stays so until both are below .08 instead of .10.
 * - Doubtful: any > .02, R − R_other > .02 R_other, or R − R_other > stdErr / 2.
 *
 * If `any` is estimated (κ̂, from which lists were served), withholding requires any > .10 and any
 * − 2 standard errors > .02, so that random variation alone rarely withholds. The estimate is
 * doubtful if any + 2 standard errors > .02. At a true share of 0, fewer than 3 % of logs withhold,
 * whatever their size.
 *
 * **Source**: a click on a recommended item is a consequence of the recommendation, and popularity
 * weights cannot undo it (Chaney, Stewart & Engelhardt, RecSys 2018, on feedback loops).
 *
 * @param shares see `CausedShares`; a NaN is not compared with a limit.
 * @param value R. @param stdErr NaN if it is unknown.
 * @param wasWithheld whether the same estimate was withheld at the last tick.
 * @returns withheld or doubtful, never both.
 * @example
 * // 10 rows, 4 of them own, R = 7/10, R_other = 1/2
 * verdictOn({ caused: 0.4, own: 0.4, other: 0.5, hasOthers: true }, 0.7, 0.1).withheld; // 'caused_by_lists'
 */
export function verdictOn(
  { caused, least = caused, most = caused, other, hasOthers }: EstimatedShares,
  value: number,
  stdErr: number,
  wasWithheld = false,
): Verdict {
  const inflation = value - other;
  if (!hasOthers) {
    return {
      withheld: 'no_other_rows',
      isDoubtful: false,
    };
  }
  // Try the limit for new estimates first: an estimate that is judged again after a restart, when
  // it is already known as withheld, then keeps its reason.
  for (const limit of wasWithheld ? [WITHHELD_ABOVE, GIVEN_AGAIN_BELOW] : [WITHHELD_ABOVE]) {
    const isAgain = limit !== WITHHELD_ABOVE;
    if (isBeyond(caused, limit, isAgain) && (isAgain || least > DOUBTFUL_ABOVE)) {
      return {
        withheld: 'caused_by_lists',
        isDoubtful: false,
      };
    }
    if (isBeyond(inflation, limit * other, isAgain) && inflation > 0) {
      return {
        withheld: 'own_lists',
        isDoubtful: false,
      };
    }
  }
  const isDoubtful =
    most > DOUBTFUL_ABOVE ||
    inflation > DOUBTFUL_ABOVE * other + ROUNDING ||
    inflation > stdErr / 2 + ROUNDING;
  return {
    withheld: null,
    isDoubtful,
  };
}

/** Tolerance for rounding: R and R_other of the same rows are summed in different orders. */
const ROUNDING = 1e-12;

/** Whether a value exceeds a limit, or reaches it if the estimate was withheld at the last tick. */
function isBeyond(value: number, limit: number, wasWithheld: boolean): boolean {
  return wasWithheld ? value >= limit : value > limit + ROUNDING;
}
