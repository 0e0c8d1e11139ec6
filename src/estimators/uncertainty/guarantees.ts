/** Bounds in addition to the confidence interval that are available for every estimator. */
export const GENERAL_GUARANTEES = ['hoeffding', 'empirical-bernstein', 'anytime'] as const;
/**
 * All bounds: the general ones, and those of a single estimator, which the rule of that estimator
 * computes.
 */
export const GUARANTEES = [...GENERAL_GUARANTEES, 'ips-hoeffding', 'gs-bernstein'] as const;
export type GuaranteeName = (typeof GUARANTEES)[number];

/** What each bound guarantees, in words; none covers the estimator's bias. */
export const PROMISES: Readonly<Record<GuaranteeName, string>> = {
  hoeffding:
    'contains the expected value over users in at least 95 % of windows, for any number of users, if users are independent; only for means over users of values in [0, 1]',
  'empirical-bernstein':
    'as hoeffding, but narrower if users vary little; only for means over users of values in [0, 1]',
  anytime:
    'contains the expected value at all times at once in about 95 % of runs, however often you look, if users accumulate from a fixed start; not for sliding windows',
  'ips-hoeffding':
    'contains the true mean gain per pair in at least 95 % of windows, if each relevant pair is observed independently with the propensity in use and each user has one list (Prop. 3.1 of Schnabel et al. 2016, for the worst case over lists)',
  'gs-bernstein':
    'contains the expectation of gs by user, up to its bias, in at least 95 % of windows, if each relevant pair is observed independently with the propensity in use (Theorem 4.1 of the generalised stratified estimator, for all users at once); with few events per user it covers all of [0, 1]',
};

export interface Guarantee {
  readonly name: GuaranteeName;
  readonly lower: number;
  readonly upper: number;
}

/** Input of the general bounds. */
export interface BoundedEstimate {
  readonly value: number;
  readonly stdErr: number;
  /** Kish effective sample size over users. */
  readonly ess: number;
  readonly users: number;
  /** Whether the estimate is an unweighted mean over users of values in [0, 1]. */
  readonly isPlainMean: boolean;
}

const ALPHA = 0.05;
/** Number of users at which the anytime bound is tightest. */
const ANYTIME_TIGHTEST_AT = 1000;

/**
 * Compute the requested bounds that are valid for an estimate, within [0, 1].
 *
 * @returns only bounds whose assumptions the estimate meets: hoeffding and empirical-bernstein need
 * a plain mean over users, empirical-bernstein and anytime a known standard error.
 * @example
 * guarantees(['hoeffding'], { value: 0.5, stdErr: 0.05, ess: 100, users: 100, isPlainMean: true }).length; // 1
 */
export function guarantees(names: readonly GuaranteeName[], of: BoundedEstimate): Guarantee[] {
  return names.flatMap((name) => {
    const half = halfWidth(name, of);
    if (Number.isNaN(half)) return [];
    return [
      {
        name,
        lower: Math.max(0, of.value - half),
        upper: Math.min(1, of.value + half),
      },
    ];
  });
}

function halfWidth(name: GuaranteeName, of: BoundedEstimate): number {
  if (name === 'anytime') return anytimeHalfWidth(of.stdErr, of.ess, ANYTIME_TIGHTEST_AT);
  if (!of.isPlainMean) return Number.NaN;
  if (name === 'hoeffding') return hoeffdingHalfWidth(of.users);
  if (name === 'empirical-bernstein') return empiricalBernsteinHalfWidth(of.stdErr, of.users);
  // The rule of the estimator computes its own bounds.
  return Number.NaN;
}

/**
 * Half-width of Hoeffding's interval for a mean over users of values in [0, 1].
 *
 * √(ln(2/α) / (2U)), α = .05.
 * Source: Hoeffding 1963; the tail bound that Schnabel et al. 2016, Prop. 3.1, applies to entries,
 * applied to users, which are independent.
 *
 * @param users U ≥ 1.
 */
export function hoeffdingHalfWidth(users: number): number {
  return Math.sqrt(Math.log(2 / ALPHA) / (2 * users));
}

/**
 * Half-width of the empirical Bernstein interval for a mean over users of values in [0, 1].
 *
 * √(2 V ln(2/δ) / U) + 7 ln(2/δ) / (3 (U − 1)), V the sample variance = stdErr² U. The bound is
 * one-sided at δ; both sides together hold at 2 δ = .05.
 * Source: Maurer & Pontil 2009, theorem 4.
 *
 * @param stdErr √(V / U). @param users U. @returns NaN below two users.
 */
export function empiricalBernsteinHalfWidth(stdErr: number, users: number): number {
  if (users < 2) return Number.NaN;
  const log = Math.log(2 / (ALPHA / 2));
  return stdErr * Math.sqrt(2 * log) + (7 * log) / (3 * (users - 1));
}

/**
 * Half-width of an anytime-valid confidence sequence for a mean.
 *
 * σ √(2 (tρ² + 1) / (t² ρ²) · ln(√(tρ² + 1) / α)), ρ² = (−2 ln α + ln(1 − 2 ln α)) / t_opt, σ =
 * stdErr √t.
 * Source: Waudby-Smith et al. 2024, asymptotic confidence sequences (Robbins' normal mixture).
 * In about α of runs the sequence misses the true mean at some time, from a few dozen observations
 * on.
 *
 * @param stdErr of the mean of all observations so far. @param t effective number of observations.
 * @param tightestAt t_opt > 0. @returns NaN if the error is unknown.
 */
export function anytimeHalfWidth(stdErr: number, t: number, tightestAt: number): number {
  if (stdErr === 0) return 0;
  const logAlpha = Math.log(ALPHA);
  const rho2 = (-2 * logAlpha + Math.log(1 - 2 * logAlpha)) / tightestAt;
  const scaled = t * rho2 + 1;
  return stdErr * Math.sqrt(((2 * scaled) / (t * rho2)) * (Math.log(scaled) / 2 - logAlpha));
}
