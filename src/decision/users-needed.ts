import { bisect } from '../mathematics/bisection.js';
import { scoreNeeded } from './mixture-evidence.js';

/** What the error of a difference is made of, T days into an epoch. */
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
