import { ItemSums } from '../../estimators/lanes/hits.js';
import type { OrganicJob } from '../../estimators/lanes/lane-job.js';
import { LaneNumber } from '../../estimators/lanes/lane-number.js';
import { makeLanes } from '../../estimators/lanes/lane-window.js';
import { slotOf } from '../../estimators/lanes/user-sums.js';
import { weighWindow } from '../../estimators/lanes/weigh-pass.js';
import { countWindow } from '../../estimators/lanes/window-counts.js';
import { windowRules } from '../../estimators/lanes/window-rules.js';
import { ofSets } from '../../estimators/metrics/registry.js';
import {
  AGGREGATIONS,
  type Aggregation,
  type EstimatorName,
  type Metric,
} from '../../estimators/names.js';
import { GroupSums, type UserGroups } from './user-groups.js';

/** Names one estimate of a window. */
export interface NamedNumber {
  readonly model: string;
  readonly estimator: EstimatorName;
  readonly metric: Metric;
  readonly k: number | null;
  readonly aggregation: Aggregation;
}

/** One estimate of a gap, and the parts that sum to it. */
export interface Side {
  readonly value: number;
  /** Parts by item; they sum to the value. */
  readonly items: Float64Array;
  /** Number of interactions with a gain, by item. */
  readonly hits: Float64Array;
  /** Parts by group of users, for each grouping; the parts of each grouping sum to the value. */
  readonly groups: readonly Float64Array[];
  /** Number of users with weight, by group, for each grouping. */
  readonly users: readonly Float64Array[];
}

/**
 * Decompose an estimate by items and groups of users.
 *
 * An estimate is R = Σ_r c_r λ_r / D over rows r, with weights c, gains λ and the denominator D. So
 * the part of item i is Σ_{r of i} c_r λ_r / D, and that of a group is Σ_{r of its users} c_r λ_r /
 * D. The parts come from the same rows, weighting rule and passes as the window's estimate.
 *
 * @param job the rows of a window as its estimates used them. @param groups groupings of users.
 * @returns undefined if the estimate does not exist: an unknown model, no user with weight, a rule
 * on other rows (`ure`), or a metric of whole sets, which cannot be divided by item.
 */
export function sideOf(
  job: OrganicJob,
  { model, estimator, metric, k, aggregation }: NamedNumber,
  groups: readonly UserGroups[],
): Side | undefined {
  const place = job.models.indexOf(model);
  const isAsked = job.options.estimators.includes(estimator);
  if (place < 0 || !isAsked || ofSets([metric]).length > 0) return undefined;
  const options = {
    ...job.options,
    estimators: [estimator],
    metrics: [metric],
    ks: k === null ? [] : [k],
    // The decomposition needs neither causes nor intervals.
    feedback: 'ignore' as const,
    interval: 't-logit' as const,
    reference: undefined,
  };
  const { weight, weightSlope, stratum } = job.columns;
  const own: OrganicJob = {
    ...job,
    part: {
      ...job.part,
      ranks: [job.part.ranks[place]],
      lists: [job.part.lists[place]],
    },
    columns: {
      weight,
      weightSlope,
      stratum,
    },
    models: [model],
    options,
    isUnsummarised: true,
  };
  const { rules } = windowRules(own);
  const [lane] = makeLanes([model], -1, rules, options);
  const m = lane?.metrics.findIndex((own) => own.metric === metric && own.k === k) ?? -1;
  if (m < 0) return undefined;
  const a = aggregation === AGGREGATIONS[0] ? 0 : 1;
  const items = new ItemSums(job.columns.weight.length, 1, m, a);
  lane.items = items;
  const slot = slotOf(m, 0, a, 1);
  const sums = groups.map((own) => new GroupSums(own, slot));
  lane.observers.push(...sums);
  countWindow(own, [lane]);
  weighWindow(own, [lane], rules);
  const number = new LaneNumber(lane, m, 0, a);
  if (!number.isGiven) return undefined;
  const { denominator } = number.moments;
  return {
    value: number.value,
    items: items.numerators[0].map((own) => own / denominator),
    hits: items.hits,
    groups: sums.map(({ numerators }) => numerators.map((own) => own / denominator)),
    users: sums.map(({ users }) => users),
  };
}
