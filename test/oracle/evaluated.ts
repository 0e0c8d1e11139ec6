import type { Metric } from '../../src/estimators/metrics/registry.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { METRIC_ORACLES, type MetricOracle } from './metrics.js';
import { isOf, type PlainRow, type PlainWindow } from './window.js';

/** One row that counts for a model and a metric. */
export interface EvaluatedRow {
  item: number;
  /** For a metric of the whole set the place, from 1, in the first k. */
  gain: number;
  user: number;
  cause?: PlainRow['cause'];
}

const FULL = 0x4000;
const SAMPLED = 0xc000;

/** S_u of every user for one model and metric, from organic or from randomised traffic, users without a row left out. */
export function evaluatedRows(
  window: PlainWindow,
  model: number,
  metric: Metric,
  k: number | null,
  options: EstimateOptions,
  traffic: 'organic' | 'randomized' = 'organic',
): EvaluatedRow[][] {
  const oracle = METRIC_ORACLES[metric]!;
  const takesWholeLists = 'gain' in oracle && oracle.takesWholeLists;
  return window.users
    .map(({ rows }, user) =>
      rows
        .filter((row) => isOf(row, traffic) && row.positive && row.ranks[model] !== 'unranked')
        .filter((row) => options.cold === 'smooth' || window.popularity[row.item] > 0)
        .filter(({ lists }) =>
          takesWholeLists
            ? lists[model].candidates === FULL ||
              lists[model].candidates === SAMPLED ||
              (lists[model].candidates === 0 && lists[model].length >= options.catalogueSize)
            : lists[model].candidates !== SAMPLED,
        )
        .map((row) => ({
          item: row.item,
          user,
          gain: gainOf(row, model, oracle, k),
          ...(row.cause !== undefined && { cause: row.cause }),
        })),
    )
    .filter((rows) => rows.length > 0);
}

function gainOf(row: PlainRow, model: number, oracle: MetricOracle, k: number | null): number {
  const rank = row.ranks[model];
  if (typeof rank !== 'number') return 0;
  if (k !== null && rank >= k) return 0;
  return 'ofSet' in oracle ? rank + 1 : oracle.gain(rank, row.lists[model].length);
}

/** w_i = n_i^−((γ + 1) / 2), κ instead of n_i = 0. */
export function weightOf(window: PlainWindow, item: number, options: EstimateOptions): number {
  const count = window.popularity[item] === 0 ? options.smoothing : window.popularity[item];
  return Math.exp((-(options.gamma + 1) / 2) * Math.log(count));
}

/** N_u and D_u per user: the estimate is ΣN / ΣD. */
export type UserSums = { numerator: number; denominator: number }[];

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Value, standard error and Kish size, straight from the formulas. */
export function summary(users: UserSums) {
  const used = users.filter(({ denominator }) => denominator > 0);
  const total = sum(used.map((u) => u.denominator));
  const value = sum(used.map((u) => u.numerator)) / total;
  const residual = sum(used.map((u) => (u.numerator - value * u.denominator) ** 2));
  const size = used.length;
  const ess = total ** 2 / sum(used.map((u) => u.denominator ** 2));
  return {
    value,
    // One user has all the weight: nothing is known of the spread.
    stdErr:
      ess < 1 + 1e-9
        ? Number.NaN
        : Math.sqrt(((size - 1) / size) * residual) / (total * (1 - 1 / ess)),
    ess,
    users: size,
  };
}
