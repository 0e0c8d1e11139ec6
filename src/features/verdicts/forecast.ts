import { ALPHA, scoreNeeded } from '../../estimators/evidence/anchored-rule.js';
import { bisect } from '../../estimators/mathematics/bisection.js';
import type { Forecast } from '../verdict.js';
import type { PairedDifference } from './paired-difference.js';

/** Components of the standard error of a difference, T days after the start of the comparison. */
export interface ErrorParts {
  /**
   * n, the part of se² that comes from single rows: Σ_rows ψ² / (ΣW)², with ψ the contribution of a
   * row to the error.
   */
  readonly byRow: number;
  /** p, the part of se² that comes from returning users: se² − n, or 0 if that is negative. */
  readonly byUser: number;
  /** T, days since the start of the comparison. */
  readonly days: number;
  /** E, effective users; Infinity if nobody returns. */
  readonly users: number;
  /** e, growth of E per day. */
  readonly usersPerDay: number;
}

/** Longest forecast, days. */
const MOST_DAYS = 3650;

/**
 * Forecast the day on which the standard error of a difference falls to a target.
 *
 *   se²(T′) = n T / T′ + p E / (E + e (T′ − T));  se²(T*) = se*²
 *
 * with n, p, T, E and e of `ErrorParts`. The row part n decreases like 1/T, the user part p only as
 * new users come. Source: variance components of a cluster sample.
 *
 * @param target se*, in the unit of D. @returns T* in days from the start, at least T; undefined if
 * it is never reached, or not within ten years.
 * @example
 * const parts = { byRow: 1e-4, byUser: 2e-5, days: 2, users: 100, usersPerDay: 0 };
 * daysNeeded(parts, Math.sqrt(5e-5)); // 6.666666
 */
export function daysNeeded(parts: ErrorParts, target: number): number | undefined {
  const { byRow, byUser, days, users, usersPerDay } = parts;
  const excess = (at: number) => {
    const returning = Number.isFinite(users)
      ? users / (users + usersPerDay * (at - days))
      : days / at;
    return (byRow * days) / at + byUser * returning - target * target;
  };
  if (excess(days) <= 0) return days;
  const found = bisect(excess, days, MOST_DAYS, 1e-9);
  return Number.isNaN(found) ? undefined : found;
}

/**
 * Standard error at which a pair can be decided: the half-width of the interval is then half of the
 * margin.
 *
 * se* with h(se*) = δ/2, h the half-width of the interval.
 *
 * @param margin δ, in the unit of D, above 0. @param spread φ, in the unit of D, above 0.
 * @param bar K / α, with K comparisons.
 * @example
 * const target = errorNeeded(0.061648, 0.02, 20);
 * target; // 0.01
 */
export function errorNeeded(margin: number, spread: number, bar: number): number {
  const excess = (error: number) => error * scoreNeeded(spread / error, bar) - margin / 2;
  return bisect(excess, margin * 1e-9, margin, margin * 1e-12);
}

/**
 * Σ w² g_m g_n, Σ w² g_m and Σ w² over the rows that both models m and n rank, with w the weight of
 * a row and g its gains.
 */
export type Moments = readonly [product: number, gain: number, weight: number];

/** Inputs of the forecast for an undecided pair. */
export interface ForecastInput {
  readonly difference: PairedDifference;
  /** T, days since the start of the comparison. */
  readonly days: number;
  /** ΣW, the sum of row weights, of the model and of the reference. */
  readonly weights: readonly [number, number];
  readonly moments: {
    readonly own: Moments;
    readonly other: Moments;
    readonly both: Moments;
  };
  /** Σ w² g_n over the rows that both rank. */
  readonly crossGain: number;
  /**
   * E, the effective users, at each look so far (the newest last), with the days since the start.
   */
  readonly users: readonly {
    readonly days: number;
    readonly users: number | null;
  }[];
  /** φ, the scale of the anytime-valid rule, see `scoreNeeded`. */
  readonly spread: number;
  /** δ, the margin. */
  readonly margin: number;
  /** K, number of comparisons. */
  readonly comparisons: number;
  /** Active users per day; null if not counted. */
  readonly activeUsers: number | null;
}

/**
 * Forecast how many more days and users a verdict on a pair needs.
 *
 *   (T* − T) · active users per day,   T* from `daysNeeded` for the error from `errorNeeded`
 *
 * The forecast depends on the error alone, not on the difference. Source: variance components, see
 * `daysNeeded`. The forecast is accurate within a factor of two if traffic continues unchanged.
 */
export function forecastOf(input: ForecastInput): Forecast {
  const { difference, days, spread, margin, comparisons, activeUsers } = input;
  if (!(margin > 0)) {
    return {
      days: null,
      users: null,
    };
  }
  const byRow = rowVariance(input);
  const { users, usersPerDay } = growth(input);
  const parts = {
    byRow,
    byUser: Math.max(0, difference.stdErr ** 2 - byRow),
    days,
  };
  const target = errorNeeded(margin, spread, comparisons / ALPHA);
  const at = daysNeeded(
    {
      ...parts,
      users,
      usersPerDay,
    },
    target,
  );
  if (at === undefined) {
    return {
      days: null,
      users: null,
    };
  }
  return {
    days: at - days,
    users: activeUsers === null ? null : (at - days) * activeUsers,
  };
}

/** Σ_rows ψ² / (ΣW)²: the variance of the difference if every row belonged to another user. */
function rowVariance({ difference, weights: [m, n], moments, crossGain }: ForecastInput): number {
  const { own, other } = difference;
  const alone = ([product, gain, weight]: Moments, ratio: number) =>
    product - 2 * ratio * gain + ratio * ratio * weight;
  const [product, gain, weight] = moments.both;
  const shared = product - other * gain - own * crossGain + own * other * weight;
  return (
    alone(moments.own, own) / (m * m) +
    alone(moments.other, other) / (n * n) -
    (2 * shared) / (m * n)
  );
}

/**
 * E, the effective users at the newest look, and e = max(0, (E(T) − E(T/2)) / (T/2)), their growth
 * per day. E(T/2) is taken from the look nearest to T/2.
 */
function growth({ users, days }: ForecastInput) {
  const now = users.at(-1)?.users ?? Number.POSITIVE_INFINITY;
  const half = users.reduce(
    (best, each) => (Math.abs(each.days - days / 2) < Math.abs(best.days - days / 2) ? each : best),
    users[0] ?? {
      days,
      users: null,
    },
  );
  const before = half.users ?? Number.POSITIVE_INFINITY;
  if (!(Number.isFinite(now) && half.days < days)) {
    return {
      users: now,
      usersPerDay: 0,
    };
  }
  const gained = Number.isFinite(before) ? Math.max(0, now - before) : 0;
  return {
    users: now,
    usersPerDay: gained / (days - half.days),
  };
}
