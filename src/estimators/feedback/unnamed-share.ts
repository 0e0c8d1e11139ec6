import type { CauseByArms } from './cause-by-arms.js';
import { DOUBTFUL_ABOVE, WITHHELD_ABOVE } from './verdict.js';

/** Estimated share κ̂ of the rows without a list id that lists caused, with its standard error. */
export type UnnamedShare = Pick<CauseByArms, 'caused' | 'stdErr'>;

/** Stands in for a missing estimate: no row without a list id counts as caused. */
export const NO_ARMS: UnnamedShare = {
  caused: 0,
  stdErr: 0,
};

/** Half-width of the bounds of κ̂ in standard errors. */
const SPAN = 2;

/** Total share of rows that lists caused, with or without list ids: estimate, lower and upper bound. */
export interface CombinedShares {
  readonly caused: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Combine the share of rows with a list id (`named`) with the estimated share κ̂ among the other
 * rows: named + (1 − named) · max(0, κ), for κ̂ and for its bounds at ± 2 standard errors.
 */
export function combinedShares(named: number, { caused, stdErr }: UnnamedShare): CombinedShares {
  const withNamed = (share: number) => named + (1 - named) * Math.max(0, share);
  return {
    caused: withNamed(caused),
    least: withNamed(caused - SPAN * stdErr),
    most: Math.min(1, withNamed(caused + SPAN * stdErr)),
  };
}

/** Whether lists significantly caused rows without a list id, so that list ids are incomplete. */
export function areNamesMissing(unnamed: UnnamedShare | null): boolean {
  return unnamed !== null && unnamed.caused - SPAN * unnamed.stdErr > DOUBTFUL_ABOVE;
}

/**
 * Whether list ids may be incomplete although `areNamesMissing` does not show it: κ̂ exceeds a
 * small threshold, or its error is so large that κ could exceed the limit for withholding.
 */
export function mayNamesMiss(unnamed: UnnamedShare | null): boolean {
  if (unnamed === null) return false;
  const { caused, stdErr } = unnamed;
  return caused > DOUBTFUL_ABOVE || caused + SPAN * stdErr > WITHHELD_ABOVE;
}
