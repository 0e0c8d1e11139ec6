import { bisect } from '../../mathematics/bisection.js';
import type { GammaBand, GammaFlip, GammaSensitivity } from '../results/gamma-band.js';

/** One model's evaluated rows by level of popularity. */
export interface LevelGains {
  readonly model: string;
  /** Rows and Σλ, by level. */
  readonly rows: Float64Array;
  readonly gains: Float64Array;
}

const FROM = -1;
const TO = 1;
const POINTS = 81;
const TOLERANCE = 1e-9;
/** Values closer than this, relative to the larger, are tied: their order is that of rounding. */
const TIE = 1e-12;

/**
 * The band of every model's pooled snips over γ in [−1, 1], and where pairs of models change places.
 *
 * R_m(γ) = Σ_n A_mn n^(−β) / Σ_n C_mn n^(−β), β = (γ + 1) / 2, with C rows and A = Σλ at level n;
 * a and b change places where D(γ) = R_a − R_b changes its sign: found on 81 points and by bisection.
 * Where both are evaluated on the same rows these are the roots of Σ_n (A_a − A_b) n^(−β).
 * Source: own, from Yang et al. 2018, eqs. 10 and 15. Two roots between neighbouring points are
 * missed; at most one a pair was ever seen. O(81 · levels · models), and 30 · levels a flip.
 *
 * @param levels counts n that rows are weighted by, above 0: κ for items that nobody counted.
 * @param models as many numbers as there are levels. A model without rows is left out.
 * @example
 * // a has the hits of the popular items, b those of the rare ones
 * gammaSensitivity([1, 100], [
 *   { model: 'a', rows: Float64Array.of(10, 90), gains: Float64Array.of(0, 45) },
 *   { model: 'b', rows: Float64Array.of(10, 90), gains: Float64Array.of(9, 0) },
 * ]).flips; // at β = ln 5 / ln 100, so γ = −.30
 */
export function gammaSensitivity(
  levels: ArrayLike<number>,
  models: readonly LevelGains[],
): GammaSensitivity {
  const logs = Float64Array.from(levels, Math.log);
  const present = models.filter(({ rows }) => rows.some((count) => count > 0));
  const grid = Array.from({ length: POINTS }, (_, p) => FROM + ((TO - FROM) * p) / (POINTS - 1));
  const values = present.map(() => new Float64Array(POINTS));
  grid.forEach((gamma, p) => {
    const weights = weightsAt(logs, gamma);
    present.forEach((model, m) => {
      values[m][p] = ratio(model, weights);
    });
  });
  const flips = present.flatMap((_, b) =>
    present.slice(0, b).flatMap((_, a) => flipsOf(logs, grid, present, values, a, b)),
  );
  return {
    bands: present.map(({ model }, m) => bandOf(model, values[m])),
    flips: flips.sort((a, b) => a.gamma - b.gamma),
  };
}

function bandOf(model: string, values: Float64Array): GammaBand {
  const lower = Math.min(...values);
  const upper = Math.max(...values);
  return { model, lower, upper, naive: values[0], equal: values[POINTS - 1] };
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
  for (let p = 0; p < POINTS; p++) {
    const sign = order(values[a][p], values[b][p]);
    if (sign === 0) continue;
    if (last >= 0 && sign !== order(values[a][last], values[b][last])) {
      const gamma = bisect(difference, grid[last], grid[p], TOLERANCE);
      const [below, above] = sign < 0 ? [a, b] : [b, a];
      flips.push({ below: models[below].model, above: models[above].model, gamma });
    }
    last = p;
  }
  return flips;
}

function order(a: number, b: number): number {
  return Math.abs(a - b) <= TIE * Math.max(Math.abs(a), Math.abs(b)) ? 0 : Math.sign(a - b);
}

/** n^(−β), over its largest value. */
function weightsAt(logs: Float64Array, gamma: number): Float64Array {
  const beta = (gamma + 1) / 2;
  const least = logs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return logs.map((log) => Math.exp(-beta * (log - least)));
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
