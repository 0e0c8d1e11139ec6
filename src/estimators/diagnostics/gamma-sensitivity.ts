import type { Lane } from '../lanes/lane.js';
import { bisect } from '../mathematics/bisection.js';
import type { Measure } from '../metrics/metric-gain.js';
import { UNCORRECTED } from '../names.js';
import type {
  GammaBand,
  GammaFlip,
  GammaSensitivity,
  UnreachedTail,
} from '../results/sensitivity.js';

/** A model's evaluated rows and their gains, by popularity level (items with the same count). */
export interface LevelGains {
  readonly model: string;
  /** By level: number of rows (`rows`), and sum of their gains λ (`gains`). */
  readonly rows: Float64Array;
  readonly gains: Float64Array;
}

/** Range of γ in which `gammaSensitivity` searches for flips, where two models change places. */
export interface GammaRange {
  readonly from: number;
  readonly to: number;
}

const FROM = -1;
/** Bands are computed on 81 points: the multiples of `STEP` from −1 to 1. */
const STEPS = 80;
const STEP = 2 / STEPS;
const TOLERANCE = 1e-9;
/** Values closer than this, relative to the larger, count as tied, since rounding decides their order. */
const TIE = 1e-12;

/**
 * Compute the range of each model's pooled snips over γ in [−1, 1], and the flips: the γ at which
 * two models change places.
 *
 * R_m(γ) = Σ_n A_mn n^(−β) / Σ_n C_mn n^(−β), β = (γ + 1) / 2, with C_mn rows of model m at
 * popularity level n, and A_mn the sum of their gains λ. Models a and b change places where D(γ) =
 * R_a − R_b changes its sign. Such γ are searched for on points .025 apart and refined by
 * bisection. If both models are evaluated on the same rows, they are the roots of Σ_n (A_an − A_bn)
 * n^(−β).
 * Source: own, from Yang et al. 2018, eqs. 10 and 15. Two roots between neighbouring points are
 * missed, but no pair with more than one root has been seen. O(81 · levels · models), and 30 ·
 * levels per flip.
 *
 * @param levels count n > 0 of each level, from which its rows are weighted; κ for the level of
 * items without a count.
 * @param models rows and gains with one entry per level. A model without rows is left out.
 * @param range of γ in which flips are searched for; bands always cover [−1, 1].
 * @example
 * // a has the hits of the popular items, b those of the rare ones
 * gammaSensitivity([1, 100], [
 *   { model: 'a', rows: Float64Array.of(10, 90), gains: Float64Array.of(0, 45) },
 *   { model: 'b', rows: Float64Array.of(10, 90), gains: Float64Array.of(9, 0) },
 * ]).flips.map(({ gamma }) => gamma); // [-0.301]: β = ln 5 / ln 100
 */
export function gammaSensitivity(
  levels: ArrayLike<number>,
  models: readonly LevelGains[],
  { from, to }: GammaRange = {
    from: FROM,
    to: -FROM,
  },
): GammaSensitivity {
  const logs = Float64Array.from(levels, Math.log);
  const present = models.filter(({ rows }) => rows.some((count) => count > 0));
  const before = Math.max(0, Math.ceil((FROM - from) / STEP));
  const after = Math.max(0, Math.ceil((to + FROM) / STEP));
  const grid = Array.from({ length: before + STEPS + after + 1 }, (_, p) => gammaAt(p - before));
  const values = present.map((model) => valuesOn(grid, logs, model));
  const flips: GammaFlip[] = [];
  for (let b = 0; b < present.length; b++) {
    for (let a = 0; a < b; a++) {
      flips.push(...flipsOf(logs, grid, present, values, a, b));
    }
  }
  return {
    bands: present.map(({ model }, m) =>
      bandOf(model, values[m].subarray(before, before + STEPS + 1)),
    ),
    flips: flips.sort((a, b) => a.gamma - b.gamma),
  };
}

/** γ at point p of the grid: exactly −1 at p = 0 and 1 at p = 80. */
function gammaAt(p: number): number {
  return FROM + (2 * p) / STEPS;
}

function bandOf(model: string, values: Float64Array): GammaBand {
  const lower = Math.min(...values);
  const upper = Math.max(...values);
  return {
    model,
    lower,
    upper,
    [UNCORRECTED]: values[0],
    equal: values[STEPS],
  };
}

/**
 * A model's R(γ) at every grid point. Between points, a level's weight changes by a constant
 * factor.
 */
function valuesOn(
  grid: readonly number[],
  logs: Float64Array,
  { rows, gains }: LevelGains,
): Float64Array {
  const points = grid.length;
  const above = new Float64Array(points);
  const below = new Float64Array(points);
  const least = leastOf(logs);
  for (let j = 0; j < logs.length; j++) {
    const count = rows[j];
    const gain = gains[j];
    if (count === 0) continue;
    const log = logs[j] - least;
    const factor = Math.exp((-STEP / 2) * log);
    let weight = Math.exp((-(grid[0] + 1) / 2) * log);
    for (let p = 0; p < points; p++) {
      above[p] += gain * weight;
      below[p] += count * weight;
      weight *= factor;
    }
  }
  return above.map((sum, p) => sum / below[p]);
}

function flipsOf(
  logs: Float64Array,
  grid: readonly number[],
  models: readonly LevelGains[],
  values: readonly Float64Array[],
  a: number,
  b: number,
): GammaFlip[] {
  const difference = (gamma: number) => {
    const weights = weightsAt(logs, gamma);
    return ratio(models[a], weights) - ratio(models[b], weights);
  };
  const flips: GammaFlip[] = [];
  let last = -1;
  for (let p = 0; p < grid.length; p++) {
    const sign = order(values[a][p], values[b][p]);
    if (sign === 0) continue;
    if (last >= 0 && sign !== order(values[a][last], values[b][last])) {
      const gamma = bisect(difference, grid[last], grid[p], TOLERANCE);
      const [below, above] = sign < 0 ? [a, b] : [b, a];
      const names = {
        below: models[below].model,
        above: models[above].model,
      };
      flips.push({
        ...names,
        gamma,
        isOfLeaders: isAhead(logs, models, a, b, gamma),
      });
    }
    last = p;
  }
  return flips;
}

/** Whether no other model has a higher value than a and b at the γ where they are equal. */
function isAhead(
  logs: Float64Array,
  models: readonly LevelGains[],
  a: number,
  b: number,
  gamma: number,
): boolean {
  const weights = weightsAt(logs, gamma);
  const least = Math.min(ratio(models[a], weights), ratio(models[b], weights));
  // The root has a tolerance, so the values of a and b still differ slightly.
  const room = least + Math.abs(ratio(models[a], weights) - ratio(models[b], weights));
  return models.every((model, m) => m === a || m === b || order(ratio(model, weights), room) <= 0);
}

function order(a: number, b: number): number {
  return Math.abs(a - b) <= TIE * Math.max(Math.abs(a), Math.abs(b)) ? 0 : Math.sign(a - b);
}

/** Weight n^(−β) by level, divided by the weight at the lowest level. */
function weightsAt(logs: Float64Array, gamma: number): Float64Array {
  const beta = (gamma + 1) / 2;
  const least = leastOf(logs);
  return logs.map((log) => Math.exp(-beta * (log - least)));
}

function leastOf(logs: Float64Array): number {
  return logs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

function ratio({ rows, gains }: LevelGains, weights: Float64Array): number {
  let above = 0;
  let below = 0;
  for (let j = 0; j < weights.length; j++) {
    above += gains[j] * weights[j];
    below += rows[j] * weights[j];
  }
  return above / below;
}

/** Every model's rows and gains under one metric and cut-off, by popularity level. */
export interface MeasureLevels extends Measure {
  readonly models: readonly LevelGains[];
}

/**
 * Collect every model's rows and gains by popularity level, for each metric that is a sum over
 * rows. Set metrics such as ndcg are left out.
 *
 * @param models names by model number.
 */
export function levelGains(lanes: readonly Lane[], models: readonly string[]): MeasureLevels[] {
  const summed = lanes.filter(({ levels }) => levels !== null).sort((a, b) => a.model - b.model);
  return (['ranked', 'complete'] as const).flatMap((family) => {
    const own = summed.filter((lane) => lane.family === family);
    return (own[0]?.metrics ?? []).flatMap(({ metric, k, set }, m) =>
      set === null
        ? [
            {
              metric,
              k,
              models: own.map((lane) => gainsOf(lane, m, models[lane.model])),
            },
          ]
        : [],
    );
  });
}

function gainsOf({ levels }: Lane, metric: number, model: string): LevelGains {
  return {
    model,
    rows: levels!.rows,
    gains: levels!.gains[metric],
  };
}

/**
 * Find how much of the weight is on items less popular than any item that a model has a gain on.
 *
 * A_n is the sum of gains at level n, C_n the number of rows and w_n = n^(−β) the weight of one
 * row. The least popular level with a gain is b = min {n : A_n > 0}. The result has two numbers.
 * `weight` is the share of the weight below b, Σ_{n<b} C_n w_n / Σ C_n w_n. `expected` is the gain
 * expected below b if gains did not depend on popularity, Σ_{n<b} C_n · (Σ_{n≥b} A_n / Σ_{n≥b}
 * C_n). Both are large for a model that lists only popular items. If the gain did not depend on
 * popularity, the probability of no gain below b would be about exp(−expected), for gains of at
 * most 1. Source: own. O(levels).
 *
 * @param levels count n > 0 of each level, from which its rows are weighted. @param beta β, see
 * `propensityExponent`.
 * @returns null for a model without any gain.
 * @example
 * // 90 rows of items counted 100 times, half of them hits; 10 rows of items counted once, no hit
 * const rows = Float64Array.of(10, 90);
 * unreachedTail([1, 100], { model: 'a', rows, gains: Float64Array.of(0, 45) }, 1);
 * // { model: 'a', below: 100, weight: 10 / 10.9, expected: 5 }
 */
export function unreachedTail(
  levels: ArrayLike<number>,
  { model, rows, gains }: LevelGains,
  beta: number,
): UnreachedTail | null {
  let below = Number.POSITIVE_INFINITY;
  for (let j = 0; j < gains.length; j++) {
    if (gains[j] > 0) {
      below = Math.min(below, levels[j]);
    }
  }
  if (below === Number.POSITIVE_INFINITY) return null;
  let gain = 0;
  let reached = 0;
  let unreached = 0;
  let weight = 0;
  let ofUnreached = 0;
  for (let j = 0; j < gains.length; j++) {
    const own = rows[j] * levels[j] ** -beta;
    weight += own;
    gain += gains[j];
    if (levels[j] >= below) {
      reached += rows[j];
      continue;
    }
    unreached += rows[j];
    ofUnreached += own;
  }
  return {
    model,
    below,
    weight: ofUnreached / weight,
    expected: (unreached * gain) / reached,
  };
}
