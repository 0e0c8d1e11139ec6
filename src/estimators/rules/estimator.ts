import type { AbsoluteScale } from '../lanes/scale.js';
import type { GuaranteeName } from '../uncertainty/guarantees.js';
import type { Aggregation, WeightingRule } from './weighting-rule.js';

/**
 * How a user's value in the mean over users is computed. `plain`: the weighted mean of the user's
 * gains; `corrected`: this mean without the bias that a ratio of few rows has. The choice affects
 * snips only (rules/corrected-user-form.ts).
 */
export const USER_FORMS = ['plain', 'corrected'] as const;
export type UserForm = (typeof USER_FORMS)[number];

/**
 * What a window must provide for an estimator. A text is the reason reported if the window does not
 * provide it.
 */
export interface Needs {
  /** The estimator weighs rows by n^−β, so it depends on γ. */
  readonly itemWeights?: true;
  /** Sums of rows and weights by stratum over the whole window. */
  readonly strata?: true;
  /** Absolute propensities: probabilities, not only up to a factor. */
  readonly scale?: string;
  /** A guarantee that needs absolute propensities although the estimator does not. */
  readonly scaleFor?: GuaranteeName;
  /**
   * Randomised traffic. `interactions`: interactions in the popularity horizon; `positives`: pairs
   * of the window with a positive interaction.
   */
  readonly randomized?: {
    readonly of: 'interactions' | 'positives';
    readonly reason: string;
  };
}

interface Described {
  /** Description of the estimator for the command's help. */
  readonly inWords: string;
  /** Whether the estimator is computed by default. */
  readonly isDefault?: true;
  /** Relative time per row, measured by the tick benchmark or else estimated. */
  readonly cost: number;
  readonly needs: Needs;
  /** Aggregations that the estimator does not support, with the reason. */
  readonly without?: Readonly<Partial<Record<Aggregation, string>>>;
}

/** Input for creating the rule of an estimator. */
export interface RuleInput {
  /** Absolute propensities as 1 / P; not null if the estimator needs them. */
  readonly scale: AbsoluteScale | null;
  readonly options: {
    readonly strata: number;
    readonly catalogueSize: number;
    readonly guarantees: readonly GuaranteeName[];
    readonly userForm?: UserForm;
  };
}

/** An estimator that weighs each row by a rule. */
export interface RowEstimator extends Described {
  /**
   * `observed`: all organic rows alike; `weighted`: organic rows by importance; `randomised`: rows
   * of randomised traffic only.
   */
  readonly kind: 'observed' | 'weighted' | 'randomised';
  rule(input: RuleInput): WeightingRule;
}

/**
 * Computes the factor that one side of a row, its user or its item, contributes to the row's
 * sampling weight.
 *
 * @param n number of interactions of that user or item. @param m number of these interactions that
 * come from randomised traffic.
 */
export type SideWeight = (n: number, m: number, smoothing: number, exponent: number) => number;

/** Factors of a row's sampling weight by its user and by its item; null means 1. */
export interface SideWeights {
  readonly user: SideWeight | null;
  readonly item: SideWeight | null;
  /** Whether the factors target the shares in randomised traffic, so that they depend on m. */
  readonly isTargeted?: true;
  /** Whether the factor of the item has an exponent, `posteriorExponent`. */
  readonly hasExponent?: true;
}

/** An estimator that draws a test set from organic rows; its value is the expectation over draws. */
export interface Intervention extends Described {
  readonly kind: 'intervention';
  /**
   * Factors of the sampling weights as functions of counts. `raked`: factors that follow from the
   * rows instead, such that all users have the same total weight, and all items too.
   */
  readonly weights: SideWeights | 'raked';
  /** Whether the test set keeps all rows instead of a share of them. */
  readonly keepsAll?: true;
}

export type Estimator = RowEstimator | Intervention;
