import { concentration } from '../../state/counts/levels.js';
import type { ItemTotals } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import {
  type InterventionSummary,
  type ItemConcentration,
  type MarginDistance,
  WEIGHT_QUANTILES,
  type WeightQuantile,
} from '../results/window-estimates.js';
import type { SideWeights } from '../rules/estimator.js';
import { interventionOf } from '../rules/registry.js';
import type { DrawMargins } from './draw-margins.js';
import type { InterventionJob, PreparedIntervention } from './interventions.js';
import { levelIndex } from './level-index.js';
import type { RowTallies } from './row-tallies.js';

const COARSE = 2 ** 32;
const FINE = 2 ** 31;

/**
 * Sum of numbers in [0, 1] that is the same in any order of the numbers, because items are numbered
 * differently after a restart. Each number is rounded to a multiple of 2⁻⁶³; the sum is exact for
 * up to 2²⁰ numbers of 1.
 *
 * @example
 * const sum = new OrderFreeSum();
 * for (const value of [0.1, 0.2, 0.3]) sum.add(value);
 * sum.value; // 0.6
 */
export class OrderFreeSum {
  #high = 0;
  #low = 0;

  add(value: number): void {
    const scaled = value * COARSE;
    const high = Math.floor(scaled);
    this.#high += high;
    this.#low += Math.round((scaled - high) * FINE);
  }

  get value(): number {
    return (this.#high + this.#low / FINE) / COARSE;
  }
}

/**
 * Summarise an intervention on one window: its weights, and how rows are distributed over users and
 * items before and after the draw.
 *
 * `margins` are total variation distances: of the users' shares from their targets, ½ Σ_u |share_u
 * − target_u|, and of the items' shares from theirs. `kl` is ln M − entropy over a catalogue of M
 * items. The sample is the expected one, in which every row counts π.
 * Source: Carraro & Bridge 2020, eqs. 11 and 12 (margins). O(items).
 *
 * @returns zeros in a window without rows.
 */
export function interventionSummary(
  { name, sides, itemChance, summary }: PreparedIntervention,
  { users, excess, items, totals }: DrawMargins,
  rows: RowTallies,
  { counts, options }: InterventionJob,
): InterventionSummary {
  const { itemSide, raking } = sides;
  const { weights: rule } = interventionOf(name);
  const isTargeted = rule !== 'raked' && rule.isTargeted === true;
  const isKnown = rows.rows > 0 && (!isTargeted || rows.randomized > 0);
  const ofUsers = (column: number, total: number) => (isKnown && total > 0 ? users[column] / 2 : 0);
  const user = {
    before: ofUsers(0, totals.before),
    weights: ofUsers(1, totals.weights),
    sample: ofUsers(2, totals.sample),
  };
  const item = marginDistance(items, totals, isTargeted ? counts : null);
  const usedItems = itemSide.map((side, i) => (items.before[i] > 0 ? side : 0));
  return {
    ...summary,
    ...(itemChance === null && totals.sample > 0 && totals.weights > 0 ? { distance: excess } : {}),
    estimator: name,
    userWeights: userQuantiles(sides, rule, rows, options),
    itemWeights: weightQuantiles(usedItems),
    margins: { user, item },
    before: itemConcentration(items.before, options.catalogueSize),
    sample: itemConcentration(items.sample, options.catalogueSize),
    ...(raking === undefined ? {} : { raking }),
  };
}

function userQuantiles(
  { userSide }: PreparedIntervention['sides'],
  rule: SideWeights | 'raked',
  { users }: RowTallies,
  { smoothing }: EstimateOptions,
): WeightQuantile[] {
  if (userSide === null) return [];
  if (rule === 'raked') return weightQuantiles(userSide);
  const bySide = new Map<number, number>();
  for (const { n, m, users: alike } of users) {
    const side = rule.user!(n, m, smoothing, 1);
    if (side > 0) {
      bySide.set(side, (bySide.get(side) ?? 0) + alike);
    }
  }
  return levelQuantiles([...bySide].sort(([a], [b]) => a - b));
}

/**
 * Total variation distance of the items' shares from their targets, by rows, by weights and by
 * inclusion probabilities.
 *
 * @param targets totals with the randomised traffic whose shares are the targets; null if the
 * target is uniform over the items with a row.
 */
function marginDistance(
  { before, weights, sample }: DrawMargins['items'],
  totals: DrawMargins['totals'],
  targets: ItemTotals | null,
): MarginDistance {
  const aims = targets?.randomized ?? before.map((rows) => Math.min(1, rows));
  const aimed = aims.subarray(0, before.length).reduce((sum, aim) => sum + aim, 0);
  const distance = (column: Float64Array, total: number) => {
    if (!(total > 0) || !(aimed > 0)) return 0;
    const sum = new OrderFreeSum();
    for (let i = 0; i < column.length; i++) {
      sum.add(Math.abs(column[i] / total - aims[i] / aimed));
    }
    return sum.value / 2;
  };
  return {
    before: distance(before, totals.before),
    weights: distance(weights, totals.weights),
    sample: distance(sample, totals.sample),
  };
}

function itemConcentration(rows: Float64Array, catalogueSize: number): ItemConcentration {
  const { gini, entropy, coverage, total } = concentration(rows, rows.length, catalogueSize);
  if (total === 0) {
    return {
      rows: 0,
      gini: 0,
      kl: 0,
    };
  }
  const seen = rows.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0);
  return {
    rows: total,
    gini,
    kl: Math.max(0, Math.log(seen / coverage) - entropy),
  };
}

/**
 * Quantiles of the weights above 0, relative to their mean.
 *
 * The q-quantile is the smallest weight that at least a share q of the weights does not exceed.
 * Source: the inverse of the empirical distribution. O(weights).
 *
 * @param weights those that are 0 or less do not count.
 * @returns an empty list if no weight is above 0.
 * By hand: weights 1, 1, 4: mean 2, so the median is 0.5 and the maximum 2.
 */
function weightQuantiles(weights: Float64Array): WeightQuantile[] {
  const levels = levelIndex(weights);
  const rows = new Float64Array(levels.counts.length);
  for (const weight of weights) {
    if (weight > 0) {
      rows[levels.indexOf(weight)]++;
    }
  }
  return levelQuantiles([...rows.keys()].map((level) => [levels.counts[level], rows[level]]));
}

/**
 * Quantiles, relative to the mean, of weights that are given as distinct values above 0 in
 * ascending order, with the number of rows of each.
 */
function levelQuantiles(
  levels: readonly (readonly [weight: number, rows: number])[],
): WeightQuantile[] {
  const total = levels.reduce((sum, [, n]) => sum + n, 0);
  if (total === 0) return [];
  const mean = levels.reduce((sum, [weight, n]) => sum + (n === 0 ? 0 : n * weight), 0) / total;
  let level = -1;
  let below = 0;
  return WEIGHT_QUANTILES.map((quantile) => {
    const wanted = Math.max(1, Math.ceil(quantile * total - 1e-9));
    while (below < wanted) {
      below += levels[++level][1];
    }
    return {
      quantile,
      weight: levels[level][0] / mean,
    };
  });
}
