import { ALPHA, scoreNeeded } from '../../estimators/evidence/anchored-rule.js';
import { bisect } from '../../estimators/mathematics/bisection.js';
import type { Forecast } from '../verdict.js';
import type { PairedDifference } from './paired-difference.js';

/** Components of a difference's standard error, T days after its start. */
export interface ErrorParts {
  /** n: the part that each row brings by itself, Σ_rows ψ² / (ΣW)². */
  readonly byRow: number;
  /** p: the part that returning users bring again and again, max(0, V − N) / (ΣW)². */
  readonly byUser: number;
  /** T, days. */
  readonly days: number;
  /** E: effective users, and how many are gained a day; Infinity where nobody returns. */
  readonly users: number;
  readonly usersPerDay: number;
}

/** Farther than this nobody plans. */
const MOST_DAYS = 3650;

/**
 * When the error of a difference will be small enough.
 *
 *   se²(T′) = n T / T′ + p E / (E + e (T′ − T));  T* where that is se*²
 *
 * Rows that users add average out like 1/T, their lasting tastes only as new users come.
 * Source: variance components of a cluster sample.
 *
 * @param target se*, in the unit of D. @returns T* in days from the start, at least T; undefined where
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
 * The error at which a pair is settled one way or the other: half the interval is half the margin.
 *
 * se* with h(se*) = δ/2.
 *
 * @param margin δ. @param spread φ. Both in the unit of D, above 0. @param bar K / α.
 * @example
 * const target = errorNeeded(0.061648, 0.02, 20);
 * target; // 0.01
 */
export function errorNeeded(margin: number, spread: number, bar: number): number {
  const excess = (error: number) => error * scoreNeeded(spread / error, bar) - margin / 2;
  return bisect(excess, margin * 1e-9, margin, margin * 1e-12);
}

/** Σ w² g_m g_n, Σ w² g_m and Σ w² over the rows that two models rank. */
export type Moments = readonly [product: number, gain: number, weight: number];

/** What is known of a pair that is not settled. */
export interface ForecastInput {
  readonly difference: PairedDifference;
  /** T, days. */
  readonly days: number;
  /** ΣW of the model and of the reference. */
  readonly weights: readonly [number, number];
  readonly moments: {
    readonly own: Moments;
    readonly other: Moments;
    readonly both: Moments;
  };
  /** Σ w² g_n over the rows that both rank. */
  readonly crossGain: number;
  /** E at earlier looks and at this one, by days since the start. */
  readonly users: readonly {
    readonly days: number;
    readonly users: number | null;
  }[];
  /** φ and δ. */
  readonly spread: number;
  readonly margin: number;
  /** K */
  readonly comparisons: number;
  /** Active users a day; null where nobody counts them. */
  readonly activeUsers: number | null;
}

/**
 * How many more users it takes until a pair is settled one way or the other.
 *
 *   (T* − T) · active users a day,   T* as in `daysNeeded` for the error as in `errorNeeded`
 *
 * It depends on the error alone, not on the difference. Source: variance components, see `daysNeeded`.
 * Within a factor of two either way where traffic goes on as it was.
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

/** Σ_rows ψ² / (ΣW)²: what the error would be if every row were another user's. */
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

/** E, and e = max(0, (E(T) − E(T/2)) / (T/2)) from the look nearest to T/2. */
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
