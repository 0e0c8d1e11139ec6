import { FEW_REWARDS } from './limits.js';
import { reason, type ValueReason } from './reasons.js';
import type { ValueEstimate, ValueEstimatorName } from './value-estimate.js';

/** A value estimate with all objections to it. */
export interface JudgedValue extends ValueEstimate {
  /** Whether the estimate is refused. Its numbers are then NaN, and a reason explains why. */
  readonly isRefused: boolean;
  /** Whether a verdict may use the estimate. */
  readonly decides: boolean;
  readonly reasons: readonly ValueReason[];
}

/**
 * Attach objections to an estimate, and withhold its numbers if an objection refuses it.
 * `few_rewards` is added if the effective number of rewards is small, and comes last.
 */
export function judgedValue(estimate: ValueEstimate, found: readonly ValueReason[]): JudgedValue {
  const { ess } = estimate;
  const others = found.filter(({ code }) => code !== 'few_rewards');
  const known = found.find(({ code }) => code === 'few_rewards');
  const own = reason('few_rewards', 'undecided', {
    ess,
    least: FEW_REWARDS,
  });
  const few = known ?? (ess < FEW_REWARDS ? own : undefined);
  const reasons = few === undefined ? others : [...others, few];
  const isRefused = reasons.some(({ consequence }) => consequence === 'refused');
  // With a single cluster the standard error is unknown.
  const isGiven = !isRefused && Number.isFinite(estimate.stdErr);
  const decides = isGiven && reasons.every(({ consequence }) => consequence !== 'undecided');
  const none = Number.NaN;
  const numbers = {
    value: none,
    stdErr: none,
    lower: none,
    upper: none,
    bound: none,
  };
  return {
    ...estimate,
    ...(isRefused ? numbers : {}),
    isRefused,
    decides,
    reasons,
  };
}

/** A refused value of a model, with its reason only. */
export function refusedValue(
  model: string,
  estimator: ValueEstimatorName,
  why: ValueReason,
): JudgedValue {
  const none = Number.NaN;
  return {
    model,
    estimator,
    value: none,
    stdErr: none,
    lower: none,
    upper: none,
    bound: none,
    coverage: none,
    unseen: none,
    requests: 0,
    ess: 0,
    byCluster: new Float64Array(0),
    byRank: new Float64Array(0),
    isRefused: true,
    decides: false,
    reasons: [why],
  };
}
