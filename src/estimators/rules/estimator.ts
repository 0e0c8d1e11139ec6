import type { AbsoluteScale } from '../lanes/scale.js';
import type { GuaranteeName } from '../uncertainty/guarantees.js';
import type { Aggregation, WeightingRule } from './weighting-rule.js';

/**
 * What the mean over users takes of a user. `plain`: the weighted mean of the gains; `corrected`: that
 * without the bias that a ratio of few rows has. It makes a difference to snips (rules/corrected-user-form.ts).
 */
export const USER_FORMS = ['plain', 'corrected'] as const;
export type UserForm = (typeof USER_FORMS)[number];

/**
 * What has to be known of a window before its rows are weighed. Where a window may lack it, it is the
 * reason that the refusal gives.
 */
export interface Needs {
  /** Items' weights n^−β: the estimator rests on γ. */
  readonly itemWeights?: true;
  /** Rows and weights of each stratum, over the whole window. */
  readonly strata?: true;
  /** Propensities with an absolute level. */
  readonly scale?: string;
  /** They are needed for this guarantee alone. */
  readonly scaleFor?: GuaranteeName;
  /** Randomised traffic, by what of it there has to be. */
  readonly randomized?: {
    readonly of: 'interactions' | 'positives';
    readonly reason: string;
  };
}

interface Described {
  /** What it computes, in a line of help. */
  readonly inWords: string;
  /** Computed where nothing else is asked for. */
  readonly isDefault?: true;
  /** Relative time per row, as the bench of the tick tells it; what it does not tell is guessed. */
  readonly cost: number;
  readonly needs: Needs;
  /** Forms that it does not have, and why. */
  readonly without?: Readonly<Partial<Record<Aggregation, string>>>;
}

/** Input for creating the rule of an estimator. */
export interface RuleInput {
  /** 1 / P; not null where the estimator needs it. */
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
   * `observed`: organic rows as they are; `weighted`: organic rows by importance; `randomised`: the
   * rows of randomised traffic alone.
   */
  readonly kind: 'observed' | 'weighted' | 'randomised';
  rule(input: RuleInput): WeightingRule;
}

/**
 * Weight of a user or an item among the rows that a set is drawn from.
 *
 * @param n its interactions. @param m those of them from randomised traffic.
 */
export type SideWeight = (n: number, m: number, smoothing: number, exponent: number) => number;

/** A row's weight is its user's side times its item's; null for 1. */
export interface SideWeights {
  readonly user: SideWeight | null;
  readonly item: SideWeight | null;
  /** Whether they aim at the shares of randomised traffic, so that m matters. */
  readonly isTargeted?: true;
  /** Whether the item's side has an exponent. */
  readonly hasExponent?: true;
}

/** An estimator that draws a test set from organic rows: its value is the expected one. */
export interface Intervention extends Described {
  readonly kind: 'intervention';
  /** By counts; `raked`: from the rows, so that all users weigh the same, and all items. */
  readonly weights: SideWeights | 'raked';
  /** Whether all rows are kept, and not a share of them. */
  readonly keepsAll?: true;
}

export type Estimator = RowEstimator | Intervention;
