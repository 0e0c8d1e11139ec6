import { armZ, balanceZ, clickPairs } from './arm-checks.js';
import type { ArmFinish } from './arms/arm-estimates.js';
import type { ArmSums } from './arms/arm-sums.js';
import { meanShareWeight } from './arms/own-on-policy.js';
import { type JudgedValue, judgedValue } from './judged-value.js';
import {
  DOUBTFUL_ARM_Z,
  LEAST_COMPLETE,
  LEAST_COVERAGE,
  LEAST_PAIR_RATIO,
  LEAST_PAIR_VALUE,
  LEAST_PAIRS,
  LEAST_RATIO_P,
  MOST_ARM_Z,
  MOST_BALANCE_Z,
  MOST_EXAMINATION_ERROR,
  MOST_ROW_SHARE,
  MOST_WEIGHT_Z,
  WHOLE_COVERAGE,
} from './limits.js';
import { reason, type ValueReason } from './reasons.js';
import type { SampleRatioTest } from './sample-ratio.js';
import type { ValueEstimate } from './value-estimate.js';
import { zScore } from './z-score.js';

/** Facts about a log that its sums do not contain. */
export interface ArmFacts {
  /** Share of the requests with known lists; the others are not in the sums. */
  readonly complete: number;
  readonly ratio: SampleRatioTest;
  /**
   * Number of strata whose shares are not known or do not sum to 1; number of such requests if each
   * has its own shares.
   */
  readonly withoutShares: number;
  /** Unit of randomisation. */
  readonly unit: 'request' | 'user';
  /** Largest standard error of log θ; 0 if θ is known. */
  readonly examinationStdErr: number;
}

/**
 * Check value estimates for objections.
 *
 * All estimates are refused if lists are lost or the split is off. All except on-policy values are
 * refused if shares are unknown, if examination is uncertain, or if an arm's values from all arms'
 * requests and from its own differ. A model's estimates are refused if the shown part of its lists
 * depends on the arm, or if one row dominates. Other objections are cautions and bounds; see
 * `ValueFigures`.
 *
 * @param estimates of `armEstimates`, from the same sums.
 * @returns in the same order; refused estimates have no numbers.
 */
export function judgeArms(
  estimates: readonly ValueEstimate[],
  sums: ArmSums,
  finish: ArmFinish,
  facts: ArmFacts,
): JudgedValue[] {
  const ofAll = reasonsOfAll(facts);
  const ofForms = [...reasonsOfForms(sums, facts), ...reasonsOfArms(estimates, sums, finish)];
  const pairs = clickPairs(sums);
  return estimates.map((estimate) => {
    if (estimate.estimator === 'on_policy') {
      return judgedValue(estimate, [...ofAll, ...reasonsOfOwn(estimate, finish)]);
    }
    const m = finish.models.indexOf(estimate.model);
    const own = [...reasonsOfModel(estimate, sums, m, finish), ...stopping(pairs, estimate)];
    return judgedValue(estimate, [...ofAll, ...ofForms, ...own]);
  });
}

function reasonsOfAll({ complete, ratio }: ArmFacts): ValueReason[] {
  const reasons: ValueReason[] = [];
  if (complete < LEAST_COMPLETE) {
    const figures = {
      share: complete,
      least: LEAST_COMPLETE,
    };
    reasons.push(reason('incomplete_requests', 'refused', figures));
  }
  if (ratio.p < LEAST_RATIO_P) {
    reasons.push(reason('sample_ratio_mismatch', 'refused', ratio));
  }
  return reasons;
}

function reasonsOfForms(
  sums: ArmSums,
  { unit, examinationStdErr, withoutShares }: ArmFacts,
): ValueReason[] {
  const reasons: ValueReason[] = [];
  if (withoutShares > 0) {
    reasons.push(reason('no_shares', 'refused', { strata: withoutShares }));
  }
  if (!(examinationStdErr <= MOST_EXAMINATION_ERROR)) {
    const figures = {
      stdErr: examinationStdErr,
      most: MOST_EXAMINATION_ERROR,
    };
    reasons.push(reason('examination_uncertain', 'refused', figures));
  }
  if (unit === 'user' && sums.shape.arms > 1) {
    reasons.push(reason('arms_by_user', 'caution', {}));
  }
  return reasons;
}

/**
 * Objection if an arm's value from all arms' requests (ips) differs from its value from its own
 * requests, for the arm with the largest |z|. Only arms that were served in every stratum are
 * compared; for others the two values cover different strata.
 */
function reasonsOfArms(
  estimates: readonly ValueEstimate[],
  sums: ArmSums,
  finish: ArmFinish,
): ValueReason[] {
  let worst = 0;
  for (const own of estimates) {
    if (own.estimator !== 'on_policy') continue;
    const arm = finish.arms.findIndex(({ list }) => finish.models[list] === own.model);
    if (!isServedThroughout(sums, arm, finish)) continue;
    const mixed = estimates.find(
      ({ model, estimator }) => model === own.model && estimator.endsWith('_ips'),
    );
    const z = mixed === undefined ? 0 : armZ(mixed, own, finish.covariance);
    if (Math.abs(z) > Math.abs(worst)) {
      worst = z;
    }
  }
  if (Math.abs(worst) <= DOUBTFUL_ARM_Z) return [];
  const isRefused = Math.abs(worst) > MOST_ARM_Z;
  const figures = {
    z: worst,
    most: isRefused ? MOST_ARM_Z : DOUBTFUL_ARM_Z,
  };
  return [reason('arms_disagree', isRefused ? 'refused' : 'caution', figures)];
}

/**
 * Whether the arm served requests in each stratum that has requests. If each request has its own
 * shares: whether all requests have a share above 0 for the arm.
 */
function isServedThroughout(
  { shape, requests }: ArmSums,
  arm: number,
  { own }: ArmFinish,
): boolean {
  const { strata, arms, clusters } = shape;
  const sum = (from: number, cells: number) =>
    requests.subarray(from, from + cells).reduce((total, each) => total + each, 0);
  if (own !== undefined) {
    const possible = own.possible.subarray(arm * clusters, (arm + 1) * clusters);
    return possible.reduce((total, each) => total + each, 0) === sum(0, requests.length);
  }
  for (let t = 0; t < strata; t++) {
    const isUsed = sum(t * arms * clusters, arms * clusters) > 0;
    if (isUsed && sum((t * arms + arm) * clusters, clusters) === 0) return false;
  }
  return true;
}

/** Objections to the weights 1 / s of an arm's own requests, s the stated share. */
function reasonsOfOwn({ model }: ValueEstimate, { own, arms, models }: ArmFinish): ValueReason[] {
  if (own === undefined) return [];
  const arm = arms.findIndex(({ list }) => models[list] === model);
  const reasons: ValueReason[] = [];
  const share = own.largest[arm] / own.rowWeights[arm];
  if (share > MOST_ROW_SHARE) {
    reasons.push(
      reason('heavy_row', 'refused', {
        share,
        most: MOST_ROW_SHARE,
      }),
    );
  }
  const { mean, stdErr } = meanShareWeight(own, arm);
  const z = zScore(mean - 1, stdErr);
  if (Math.abs(z) > MOST_WEIGHT_Z) {
    reasons.push(
      reason('mean_weight_off', 'refused', {
        mean,
        z,
        most: MOST_WEIGHT_Z,
      }),
    );
  }
  return reasons;
}

function reasonsOfModel(
  { coverage }: ValueEstimate,
  sums: ArmSums,
  m: number,
  { isEmpirical }: ArmFinish,
): ValueReason[] {
  const reasons: ValueReason[] = [];
  if (sums.listedRequests.every((each) => each === 0)) {
    return [reason('lists_sampled_out', 'refused', {})];
  }
  const z = balanceZ(sums, m, isEmpirical);
  if (Math.abs(z) > MOST_BALANCE_Z) {
    reasons.push(
      reason('lists_follow_arm', 'refused', {
        z,
        most: MOST_BALANCE_Z,
      }),
    );
  }
  const share = sums.largest[m] / sums.rowWeights[m];
  if (share > MOST_ROW_SHARE) {
    reasons.push(
      reason('heavy_row', 'refused', {
        share,
        most: MOST_ROW_SHARE,
      }),
    );
  }
  if (!(coverage >= LEAST_COVERAGE)) {
    const figures = {
      coverage,
      least: LEAST_COVERAGE,
    };
    reasons.push(reason('mostly_unsupported', 'bound', figures));
  } else if (coverage < WHOLE_COVERAGE) {
    const figures = {
      coverage,
      least: WHOLE_COVERAGE,
    };
    reasons.push(reason('partly_supported', 'caution', figures));
  }
  return reasons;
}

/** Objection if requests have fewer pairs of clicks than independently examined positions would give. */
export function stopping(
  { observed, expected }: ReturnType<typeof clickPairs>,
  { value }: Pick<ValueEstimate, 'value'>,
): ValueReason[] {
  const isApart = observed < LEAST_PAIR_RATIO * expected && expected >= LEAST_PAIRS;
  if (!isApart || !(value > LEAST_PAIR_VALUE)) return [];
  const figures = {
    observed,
    expected,
    least: LEAST_PAIR_RATIO,
  };
  return [reason('clicks_end_requests', 'caution', figures)];
}
