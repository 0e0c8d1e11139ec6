import type { WeightSummary } from '../estimators/interventions/sample-distance.js';
import type { LeftOut } from './canonical-rows.js';
import type { Spread } from './spread.js';

/**
 * How evenly rows are spread over users, or over items: in the part, in the expected set, and in
 * the drawn set.
 */
export interface SideSpread {
  readonly before: Spread;
  /**
   * Spread of the inclusion probabilities. It lacks the random unevenness that a small drawn set
   * has.
   */
  readonly expected: Spread;
  readonly after: Spread;
}

export interface LorenzCurves {
  readonly before: readonly number[];
  readonly expected: readonly number[];
}

export interface WeightQuantile {
  readonly p: number;
  readonly weight: number;
}

/**
 * Summary of a drawn set: counts of each step from interactions to the set, its weights, and how
 * evenly its rows are spread.
 */
export interface SetSummary {
  /** Interactions left out before the split, by reason. */
  readonly leftOut: LeftOut;
  /** Number of distinct (user, item) pairs of each part. */
  readonly pairs: {
    readonly train: number;
    readonly test: number;
    readonly randomized: number;
  };
  /** Number of pairs in the part that the set is drawn from. */
  readonly sampled: number;
  /** Number of the `sampled` pairs that have weight 0 and so cannot be drawn. */
  readonly zeroWeight: number;
  readonly drawn: number;
  readonly weights: WeightSummary & {
    readonly quantiles: readonly WeightQuantile[];
    /** τ, with π = 1 − e^(−wτ); null if every row is drawn. */
    readonly time: number | null;
  };
  readonly users: SideSpread;
  readonly items: SideSpread;
  /**
   * Only for wtd: total variation distance from the shares of randomised traffic, of the sampled
   * part (`before`) and of the drawn set (`after`).
   */
  readonly target?: {
    readonly user: {
      readonly before: number;
      readonly after: number;
    };
    readonly item: {
      readonly before: number;
      readonly after: number;
    };
  };
  /**
   * Only for wtd_ipf: number of connected components of the graph of users and items
   * (`components`), and whether uniform margins could not be reached (`isDamped`).
   */
  readonly raking?: {
    readonly components: number;
    readonly isDamped: boolean;
  };
  /** Lorenz curves, for the report. */
  readonly lorenz: {
    readonly users: LorenzCurves;
    readonly items: LorenzCurves;
  };
}
