import type { WeightSummary } from '../estimators/interventions/sample-distance.js';
import type { LeftOut } from './canonical-rows.js';
import type { Spread } from './spread.js';

/** Spread over users, or over items: of the part, of the set that is expected, and of the set. */
export interface SideSpread {
  readonly before: Spread;
  /** By inclusion probabilities: a small set is uneven by chance, which is not in this. */
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

/** What was counted on the way from interactions to a set. */
export interface SetSummary {
  /** Interactions left out before the split, by reason. */
  readonly leftOut: LeftOut;
  /** Distinct pairs of each part. */
  readonly pairs: {
    readonly train: number;
    readonly test: number;
    readonly randomized: number;
  };
  /** Pairs of the part that the set is drawn from. */
  readonly sampled: number;
  /** Of those, pairs whose weight is 0: they cannot be drawn. */
  readonly zeroWeight: number;
  readonly drawn: number;
  readonly weights: WeightSummary & {
    readonly quantiles: readonly WeightQuantile[];
    /** τ, with π = 1 − e^(−wτ); null where every row is taken. */
    readonly time: number | null;
  };
  readonly users: SideSpread;
  readonly items: SideSpread;
  /** Of wtd: total variation from the shares of randomised traffic. */
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
  /** Of wtd_ipf: components of the rows, and whether uniform margins were out of reach. */
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
