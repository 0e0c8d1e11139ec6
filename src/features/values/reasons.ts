import type { Consequence } from '../../rows/row.js';

/** The closed list of what speaks against an estimate of value, each with the figures it rests on. */
export interface ValueFigures {
  /** Strata whose shares are not known, or do not sum to 1: only what was served has a value. */
  no_shares: { strata: number };
  /** The model has no list in any request. */
  no_lists: Record<never, number>;
  /** What the target would have done is not known. */
  target_unknown: Record<never, number>;
  /** Requests whose lists are all known, and the least share of them. */
  incomplete_requests: {
    share: number;
    least: number;
  };
  /**
   * No request has all its lists in the sample, so nothing shows whether the lists depend on the
   * arm.
   */
  lists_sampled_out: Record<never, number>;
  /** The log ends before the horizon of many requests, so some of their rewards are missing. */
  rewards_pending: {
    share: number;
    most: number;
  };
  /** Arms were not served as declared. */
  sample_ratio_mismatch: {
    chiSquare: number;
    freedom: number;
    p: number;
  };
  /** Lists were drawn at random, and it is not known from how many items. */
  candidates_unknown: { share: number };
  /** Users keep their arm: lists may follow what it showed them. */
  arms_by_user: Record<never, number>;
  /** A model's lists depend on the arm: C differs from T on average. */
  lists_follow_arm: {
    z: number;
    most: number;
  };
  /** An arm's value from all arms' requests differs from its value from its own. */
  arms_disagree: {
    z: number;
    most: number;
  };
  /** Requests have fewer pairs of clicks than independent places would: users stop at a click. */
  clicks_end_requests: {
    observed: number;
    expected: number;
    least: number;
  };
  /**
   * The examination probabilities are unknown: there are no arms, and no randomised lists with
   * shares.
   */
  examination_unknown: Record<never, number>;
  /** Examination is not known well enough. */
  examination_uncertain: {
    stdErr: number;
    most: number;
  };
  /** Part of the looks at the lists goes to items that no arm shows. */
  partly_supported: {
    coverage: number;
    least: number;
  };
  mostly_unsupported: {
    coverage: number;
    least: number;
  };
  /** One row carries much of the estimate. */
  heavy_row: {
    share: number;
    most: number;
  };
  /** Several models drew the lists, each by chances of its own: only what any of them shows balances. */
  several_loggers: { loggers: number };
  /** Weights do not average to 1. */
  mean_weight_off: {
    mean: number;
    z: number;
    most: number;
  };
  /** Weights are shrunk, which biases; by how much is what the estimate differs from `dr` by. */
  weights_shrunk: {
    shrinkage: number;
    z: number;
    most: number;
  };
  /** The estimate rests on few rewards. */
  few_rewards: {
    ess: number;
    least: number;
  };
}

export type ValueReasonCode = keyof ValueFigures;

/** What a reason does to a value; one that is bounded is so from below. */
export type ValueConsequence = Exclude<Consequence, 'withheld'>;

/** What would lift a reason. */
export const VALUE_REMEDIES = {
  no_shares: 'log_shares',
  no_lists: 'log_target',
  target_unknown: 'log_target',
  incomplete_requests: 'log_all_lists',
  lists_sampled_out: 'longer_window',
  rewards_pending: 'longer_log',
  sample_ratio_mismatch: 'correct_shares',
  candidates_unknown: 'log_candidates',
  arms_by_user: 'draw_arms_by_request',
  lists_follow_arm: 'draw_arms_by_request',
  arms_disagree: 'check_examination',
  clicks_end_requests: 'check_examination',
  examination_unknown: 'add_random_lists',
  examination_uncertain: 'longer_window',
  partly_supported: 'add_random_lists',
  mostly_unsupported: 'add_random_lists',
  heavy_row: 'more_even_shares',
  several_loggers: 'log_balanced',
  mean_weight_off: 'correct_propensities',
  weights_shrunk: 'read_unshrunk',
  few_rewards: 'longer_window',
} as const satisfies Record<ValueReasonCode, string>;

/** An objection to an estimate, as data. */
export type ValueReason<Code extends ValueReasonCode = ValueReasonCode> = {
  [Each in Code]: {
    readonly code: Each;
    readonly consequence: ValueConsequence;
    readonly figures: Readonly<ValueFigures[Each]>;
  };
}[Code];

/** A reason with its figures. */
export function reason<Code extends ValueReasonCode>(
  code: Code,
  consequence: ValueConsequence,
  figures: ValueFigures[Code],
): ValueReason<Code> {
  return {
    code,
    consequence,
    figures,
  } as ValueReason<Code>;
}
