import { ALPHA } from './mixture-evidence.js';
import type { Forecast } from './pair-verdict.js';
import type { PairedDifference } from './paired-difference.js';
import { daysNeeded, errorNeeded } from './users-needed.js';

/** Σ w² g_m g_n, Σ w² g_m and Σ w² over the rows that two models rank. */
export type Moments = readonly [product: number, gain: number, weight: number];

/** What is known of a pair that is not settled. */
export interface ForecastInput {
  readonly difference: PairedDifference;
  /** T, days. */
  readonly days: number;
  /** ΣW of the model and of the reference. */
  readonly weights: readonly [number, number];
  readonly moments: { readonly own: Moments; readonly other: Moments; readonly both: Moments };
  /** Σ w² g_n over the rows that both rank. */
  readonly crossGain: number;
  /** E at earlier looks and at this one, by days since the start. */
  readonly users: readonly { readonly days: number; readonly users: number | null }[];
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
  if (!(margin > 0)) return { days: null, users: null };
  const byRow = rowVariance(input);
  const { users, usersPerDay } = growth(input);
  const parts = { byRow, byUser: Math.max(0, difference.stdErr ** 2 - byRow), days };
  const target = errorNeeded(margin, spread, comparisons / ALPHA);
  const at = daysNeeded({ ...parts, users, usersPerDay }, target);
  if (at === undefined) return { days: null, users: null };
  return { days: at - days, users: activeUsers === null ? null : (at - days) * activeUsers };
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
    users[0] ?? { days, users: null },
  );
  const before = half.users ?? Number.POSITIVE_INFINITY;
  if (!(Number.isFinite(now) && half.days < days)) return { users: now, usersPerDay: 0 };
  const gained = Number.isFinite(before) ? Math.max(0, now - before) : 0;
  return { users: now, usersPerDay: gained / (days - half.days) };
}
