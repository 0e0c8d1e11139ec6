import type { Forms, Measured } from '../estimators/evidence/anchored-rule.js';
import type { UnpredictedPart } from '../estimators/evidence/bounds.js';
import type { NoVerdictReason, PairVerdict, Rung } from './verdict.js';

/** Why evidence gives no verdict, with figures. */
export interface Objection {
  readonly reason: NoVerdictReason;
  readonly figures: Readonly<Record<string, number>>;
  /** Names of the subject, as in `PairVerdict`. */
  readonly of?: readonly string[];
}

/** Additional conditions on a pair that is evaluated repeatedly. */
interface Watched {
  /** Forms over whole days and at the ends of the plausible γ; all must agree. */
  readonly also: readonly Forms[];
  /** D of the last day; undefined before one is over. */
  readonly lastDay: Measured | undefined;
  /** The sign reported at the previous look; 0 for none. */
  readonly standing: -1 | 0 | 1;
}

/** Evidence of one kind on a pair of models. */
export interface PairEvidence extends Forms {
  readonly rung: Rung;
  readonly model: string;
  readonly reference: string;
  readonly measure: {
    readonly metric: string;
    readonly k: number | null;
  };
  readonly objection: Objection | null;
  /** D, the model's value minus the reference's; for bounds, its lower bound. */
  readonly anchor: Measured;
  /** Upper bound of D, if a part of the model's lists is never shown. */
  readonly most?: Measured;
  /** Overlap of the served lists with the model's examined positions. */
  readonly covered?: number;
  /** Share of the requests with lists of both models, to which D refers. */
  readonly listed?: number;
  /**
   * Upper limit of the reference's reward in the other requests, per request overall; 0 if the
   * other requests do not differ.
   */
  readonly lost?: number;
  /**
   * Bounds for the rated pairs that only one of the two models predicted; D covers the pairs that
   * both predicted.
   */
  readonly unpredicted?: UnpredictedPart;
  /** δ: a smaller difference does not matter; none by default. */
  readonly margin?: number;
  /** Whether the lists of both models were equal at all positions that count. */
  readonly isAlike?: boolean;
  /** Whether the lower value is the better one. */
  readonly isError?: boolean;
  /**
   * Difference in reward above the first position where the lists differ, if significant: users
   * then choose by the whole list.
   */
  readonly above?: number;
  /**
   * Share of users' interactions with items that they had found before, if a pair counts once;
   * sizes are then distorted.
   */
  readonly repeated?: number;
  /** Plausible γ at which the two models change places. */
  readonly flip?: PairVerdict['flip'] | undefined;
  /** D without correction. */
  readonly uncorrected?: Measured;
  readonly isOfUncaused?: true;
  /** Undefined for a single evaluation. */
  readonly watched?: Watched;
  /** Evidence among users with one value of a dimension. */
  readonly segments?: readonly {
    readonly of: readonly string[];
    readonly anchor: Measured;
  }[];
  readonly ess: number;
}
