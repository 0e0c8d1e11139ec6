/** Why an estimate is withheld. */
export const WITHHELD_REASONS = [
  'caused_by_lists',
  'own_lists',
  'no_other_rows',
  'circular',
  'own_random_lists',
] as const;

export type WithheldReason = (typeof WITHHELD_REASONS)[number];

/** Code of an estimate that is reported although it rests on driven interactions too much. */
export const DOUBTFUL = 'caused_in_part';

/** Shares of an estimate that rest on interactions driven by recommendations. */
export interface CausedShares {
  /** Share of the weights that lie on rows which any shown list caused. */
  readonly caused: number;
  /** The same of rows that the model's own lists caused; NaN where names are missing. */
  readonly own: number;
  /** R of the rows that its own lists did not cause; NaN where there are none, or it is not known. */
  readonly other: number;
  /** Whether there are rows that its own lists did not cause. */
  readonly hasOthers: boolean;
}

/** The same where shares are estimated: the caused one is at least and at most so much. */
export interface EstimatedShares extends CausedShares {
  readonly least?: number;
  readonly most?: number;
}

export interface Verdict {
  /** Null where the estimate may be given. */
  readonly withheld: WithheldReason | null;
  /** It may be given, with a caution. */
  readonly isDoubtful: boolean;
}

/** Shares, and inflations by own rows, above which estimates are withheld, and doubtful. */
export const WITHHELD_ABOVE = 0.1;
export const DOUBTFUL_ABOVE = 0.02;
/** What was withheld is given again below it, so that a share near the limit does not flicker. */
export const GIVEN_AGAIN_BELOW = 0.08;

/**
 * Whether an estimate may be given although shown lists caused some of its rows.
 *
 * With own = Σw 1{own} / Σw, any = Σw 1{caused} / Σw and R_other the same estimate over the rows
 * that are not own, R = own · R_own + (1 − own) · R_other: an item that a list brought to the user
 * stands high in that list, even if the user would have found it without. Withheld: any > .10 (for
 * all models); R − R_other > .10 R_other; no other rows. Doubtful: any > .02; R − R_other > .02
 * R_other, or > stdErr / 2. What was withheld before stays so until the share is below .08.
 *
 * Where `any` is estimated (κ̂, by which lists were served), withheld takes any > .10 and any − 2
 * standard errors > .02: more is caused than may be, likelier than not, and not by chance alone.
 * Doubtful is then any + 2 standard errors > .02. At a true share of 0 a log withholds in fewer than
 * 3 % of cases, however small it is.
 *
 * **Source**: a click on a recommended item is a consequence of the recommendation, which no weight
 * by popularity undoes (Chaney, Stewart & Engelhardt, RecSys 2018, on feedback loops).
 *
 * @param shares see `CausedShares`; a NaN speaks neither for nor against.
 * @param value R. @param stdErr NaN if it is unknown.
 * @param wasWithheld whether the same estimate was withheld the last time.
 * @returns never both: what is withheld is not doubtful as well.
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
  // The limit of a first time comes first: a pane that is judged once more after a restart, when
  // it is known to be withheld, keeps its reason.
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

/** R and R_other of the same rows, summed in another order. */
const ROUNDING = 1e-12;

/** Above the limit; where it was withheld before, not yet below it. */
function isBeyond(value: number, limit: number, wasWithheld: boolean): boolean {
  return wasWithheld ? value >= limit : value > limit + ROUNDING;
}
