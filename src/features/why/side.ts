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

/** One number of a window, by all that names it. */
export interface NamedNumber {
  readonly model: string;
  readonly estimator: EstimatorName;
  readonly metric: Metric;
  readonly k: number | null;
  readonly aggregation: Aggregation;
}

/** A number and what it is the sum of. */
export interface Side {
  readonly value: number;
  /** By item; they sum to the value. */
  readonly items: Float64Array;
  /** Rows with a gain, by item. */
  readonly hits: Float64Array;
  /** By group of users, for each way of grouping; each sums to the value. */
  readonly groups: readonly Float64Array[];
  /** Users with weight, likewise. */
  readonly users: readonly Float64Array[];
}

/**
 * Takes a number apart: R = Σ_r c_r λ_r / D, so item i's part is Σ_{r of i} c_r λ_r / D and a
 * group's is Σ_{r of its users} c_r λ_r / D. The parts are those of the rows that the window's
 * estimate itself is made of, by the same rule and the same passes.
 *
 * @param job the rows of a window as its estimates took them. @param groups ways of grouping users.
 * @returns undefined where the number is not there: an unknown model, no user with weight, a rule
 * of other rows (`ure`), or a metric of whole sets, which no single item has a part in.
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
    // Nobody asks what caused the rows, nor for an interval.
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
