import type { AbsoluteScale } from '../lanes/scale.js';
import type { GuaranteeName } from '../uncertainty/guarantees.js';
import type { Aggregation, WeightingRule } from './weighting-rule.js';

/**
 * A user's value in the mean over users. `plain`: the weighted mean of the gains; `corrected`:
 * without the bias of a ratio of few rows. It affects snips only (rules/corrected-user-form.ts).
 */
export const USER_FORMS = ['plain', 'corrected'] as const;
export type UserForm = (typeof USER_FORMS)[number];

/**
 * Requirements of an estimator on a window. A text is the reason reported if the window does not
 * meet the requirement.
 */
export interface Needs {
  /** Item weights n^−β, so that the estimator depends on γ. */
  readonly itemWeights?: true;
  /** Rows and weights of each stratum over the whole window. */
  readonly strata?: true;
  /** Propensities as probabilities. */
  readonly scale?: string;
  /** The guarantee that alone needs these propensities. */
  readonly scaleFor?: GuaranteeName;
  /** Randomised traffic: interactions or positives. */
  readonly randomized?: {
    readonly of: 'interactions' | 'positives';
    readonly reason: string;
  };
}

interface Described {
  /** Description for the command's help. */
  readonly inWords: string;
  /** Whether it is computed by default. */
  readonly isDefault?: true;
  /** Relative time per row, measured by the tick benchmark or else estimated. */
  readonly cost: number;
  readonly needs: Needs;
  /** Aggregations that it lacks, with the reason. */
  readonly without?: Readonly<Partial<Record<Aggregation, string>>>;
}

/** Input for creating the rule of an estimator. */
export interface RuleInput {
  /** 1 / P; not null if the estimator needs it. */
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
 * Sampling weight of a user or an item.
 *
 * @param n its interactions. @param m those of them from randomised traffic.
 */
export type SideWeight = (n: number, m: number, smoothing: number, exponent: number) => number;

/** Factors of a row's sampling weight, by its user and by its item; null for 1. */
export interface SideWeights {
  readonly user: SideWeight | null;
  readonly item: SideWeight | null;
  /** Whether they target the shares of randomised traffic, so that m matters. */
  readonly isTargeted?: true;
  /** Whether the item's side has an exponent. */
  readonly hasExponent?: true;
}

/** An estimator that draws a test set from organic rows; its value is the expectation over draws. */
export interface Intervention extends Described {
  readonly kind: 'intervention';
  /** Weights by counts; `raked`: from the rows, so that all users have equal weight, and all items. */
  readonly weights: SideWeights | 'raked';
  /** Whether all rows are kept instead of a share. */
  readonly keepsAll?: true;
}

export type Estimator = RowEstimator | Intervention;
