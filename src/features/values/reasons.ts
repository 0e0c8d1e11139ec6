import type { Consequence } from '../../rows/row.js';

/** Objections to a value estimate, a closed list, each with its figures. */
export interface ValueFigures {
  /** Shares of some strata are unknown or do not sum to 1, so only served models have a value. */
  no_shares: { strata: number };
  /** The model has no list in any request. */
  no_lists: Record<never, number>;
  /**
   * No request with logged propensities has a list of the model, so its probabilities are unknown.
   */
  target_unknown: Record<never, number>;
  /** Too few requests have complete lists: their share, and the required share. */
  incomplete_requests: {
    share: number;
    least: number;
  };
  /**
   * No request in the sample has all items of its lists, so nothing shows whether lists depend on
   * the arm.
   */
  lists_sampled_out: Record<never, number>;
  /** The log ends before the horizon of many requests, so some of their rewards are missing. */
  rewards_pending: {
    share: number;
    most: number;
  };
  /** The served split does not match the declared shares. */
  sample_ratio_mismatch: {
    chiSquare: number;
    freedom: number;
    p: number;
  };
  /** The number of candidates of some randomised lists is unknown; `share` of requests. */
  candidates_unknown: { share: number };
  /** Users keep their arm, so lists may depend on what it showed them. */
  arms_by_user: Record<never, number>;
  /** A model's lists depend on the arm: C differs from T on average. */
  lists_follow_arm: {
    z: number;
    most: number;
  };
  /**
   * An arm has two values that differ: from the requests of all arms, and from its own requests.
   */
  arms_disagree: {
    z: number;
    most: number;
  };
  /** Requests have fewer pairs of clicks than independent positions would give: users stop after a click. */
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
  /** Examination is not known precisely enough. */
  examination_uncertain: {
    stdErr: number;
    most: number;
  };
  /** Served lists cover only a part of the examined positions of the model's lists. */
  partly_supported: {
    coverage: number;
    least: number;
  };
  mostly_unsupported: {
    coverage: number;
    least: number;
  };
  /** One row dominates the estimate. */
  heavy_row: {
    share: number;
    most: number;
  };
  /**
   * Several loggers drew the lists with their own probabilities, so only items that all of them may
   * show are balanced.
   */
  several_loggers: { loggers: number };
  /** Weights do not average to 1. */
  mean_weight_off: {
    mean: number;
    z: number;
    most: number;
  };
  /** Weights are shrunk, which causes bias; the difference to `dr` estimates it. */
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

/** Effect of a reason on a value; `bound` makes it a lower bound. */
export type ValueConsequence = Exclude<Consequence, 'withheld'>;

/** Remedy for each reason. */
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

/** Create an objection with its figures. */
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
