import type { Forms, Measured } from '../estimators/evidence/anchored-rule.js';
import type { UnpredictedPart } from '../estimators/evidence/bounds.js';
import type { NoVerdictReason, PairVerdict, Rung } from './verdict.js';

/** Why a piece of evidence allows no verdict, with figures. */
export interface Objection {
  readonly reason: NoVerdictReason;
  readonly figures: Readonly<Record<string, number>>;
  /** What the reason is about, as in `PairVerdict`. */
  readonly of?: readonly string[];
}

/** Additional conditions for a verdict on a pair that is evaluated repeatedly. */
interface Watched {
  /**
   * The difference D since the start and over whole days, both at each γ: the value of γ and the
   * ends of its plausible range. All of these must agree on the sign of D.
   */
  readonly also: readonly Forms[];
  /** Difference D on the last day; undefined before a whole day is over. */
  readonly lastDay: Measured | undefined;
  /** Sign of the verdict reported at the previous evaluation; 0 for none. */
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
  /**
   * Difference D: the model's value minus the reference's value. If only bounds on D are known,
   * their lower end.
   */
  readonly anchor: Measured;
  /** Upper end of the bounds on D; set if a part of the model's lists is never served. */
  readonly most?: Measured;
  /** Fraction of the model's examined positions that the served lists overlap with. */
  readonly covered?: number;
  /**
   * Fraction of the requests that have lists of both models; the difference D refers to these
   * requests.
   */
  readonly listed?: number;
  /**
   * Upper limit on the reference's reward in the requests without a list of the model, per request
   * overall. 0 if these requests are few and the reference's reward in them does not differ.
   */
  readonly lost?: number;
  /**
   * Bounds on how much the rated pairs that only one of the two models predicted add to D; D itself
   * covers the pairs that both predicted.
   */
  readonly unpredicted?: UnpredictedPart;
  /** Margin δ: a difference smaller than this does not matter; none by default. */
  readonly margin?: number;
  /** Whether the lists of both models were equal at all positions that count. */
  readonly isAlike?: boolean;
  /** Whether lower values are better, as for errors of ratings. */
  readonly isError?: boolean;
  /**
   * Difference in reward above the first position where the lists differ, if it is significant. It
   * shows that users choose by the whole list.
   */
  readonly above?: number;
  /**
   * Fraction of the positive interactions that repeat an earlier one of the same user and item. Set
   * if it is so large that it distorts the size of differences.
   */
  readonly repeated?: number;
  /** γ within its plausible range at which the two models change places. */
  readonly flip?: PairVerdict['flip'] | undefined;
  /** Difference D without correction for popularity. */
  readonly uncorrected?: Measured;
  /** Set if the evidence is from organic interactions only. */
  readonly isOfUncaused?: true;
  /** Conditions of repeated evaluation; undefined for a single evaluation. */
  readonly watched?: Watched;
  /** Difference D among the users with each value of each dimension. */
  readonly segments?: readonly {
    readonly of: readonly string[];
    readonly anchor: Measured;
  }[];
  readonly ess: number;
}
