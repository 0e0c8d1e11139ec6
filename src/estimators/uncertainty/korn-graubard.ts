import { betaQuantile } from '../mathematics/distributions.js';
import { isBelow } from '../mathematics/edges.js';

/** A weighted mean of gains in [0, 1], with the numbers that its interval depends on. */
export interface WeightedMean {
  /** R, the mean. */
  readonly value: number;
  /** Standard error clustered by user; NaN if it is unknown. */
  readonly stdErr: number;
  /** Additional standard error that the estimate of γ causes. */
  readonly gammaStdErr: number;
  /** Kish effective number of users (`userEss`) and of rows (`rowEss`). */
  readonly userEss: number;
  readonly rowEss: number;
  /**
   * Effective numbers of hits and of misses over users: h = (Σ N_u)² / Σ N_u², N_u the user's
   * weighted gain.
   */
  readonly hits: number;
  readonly misses: number;
  /**
   * Mean square of gains over their mean, m₂ = Σ w λ² / Σ w λ; 1 for gains of 0 and 1, and without
   * hits.
   */
  readonly squaredGain: number;
  /** Whether the gain is the same for all rows. */
  readonly isConstant: boolean;
  /** Whether no other gain was possible: every list ranks all its candidates, and all of them gain 1. */
  readonly isCertain: boolean;
}

const Z = 1.959963984540054;
const TAIL = 0.025;
/**
 * If the effective number of hits or of misses is below this, the cap on n is the effective number
 * of users instead of rows.
 */
const FEW_HITS = 10;
/**
 * If the effective numbers of hits and of misses are both at least this, the number of draws n is
 * not capped.
 */
const MANY_HITS = 100;
/**
 * If the numbers of hits and of misses among the draws are both at least this, Wilson's interval
 * replaces the exact one.
 */
const MANY_COUNTED = 10;
/** Relative size below which a variance is rounding error. */
const ROUNDING = 1e-12;

/**
 * 95 % confidence interval of a weighted mean of gains: the binomial interval for as many draws as
 * give the same standard error.
 *
 * n = R(1 − R) / v draws, v = max(se², (R m₂ − R²) / C) + se_γ². The second term of the maximum is
 * a cap on n, used only below 100 effective hits or misses. C is the effective number of rows if
 * both hits and misses are at least 10, and otherwise that of users. At R = 0 and R = 1, n = C.
 * Then n ← n (1.96 / t)² and x = R n: Clopper–Pearson if x or n − x is below 10, otherwise Wilson.
 * At R = 0 and R = 1 the interval is one-sided, at 2.5 %.
 * Source: Korn & Graubard 1998 (effective sample size and t in the Clopper–Pearson interval); the
 * cap is the error of independent rows, since with few hits the jackknife error can be far too
 * small.
 *
 * The interval has no width for a constant gain inside (0, 1), or for a certain gain of 1.
 *
 * @param of R with its error and effective sizes. @param factor t, see `binomialFactor`.
 * @returns lower and upper bound in [0, 1], lower ≤ R ≤ upper; [0, 1] if the error is unknown.
 * @example
 * // 100 users of one row each, none of whom is hit
 * const rows = { userEss: 100, rowEss: 100, hits: 0, misses: 100, squaredGain: 1 };
 * const none = { value: 0, stdErr: 0, gammaStdErr: 0, isConstant: true, isCertain: false, ...rows };
 * kornGraubard(none, 1.984); // [0, 0.0371]
 */
export function kornGraubard(of: WeightedMean, factor: number): [number, number] {
  const { value } = of;
  if (value === 0) return [0, limitOfNone(drawsAt(cappedSize(of), factor))];
  if (value >= 1 - ROUNDING) {
    return of.isCertain
      ? [value, value]
      : [Math.min(value, 1 - limitOfNone(drawsAt(cappedSize(of), factor))), 1];
  }
  if (of.isConstant) return [value, value];
  if (Number.isNaN(of.stdErr) || factor === Number.POSITIVE_INFINITY) return [0, 1];
  const draws = (value * (1 - value)) / variance(of);
  if (draws === Number.POSITIVE_INFINITY) return [value, value];
  const [lower, upper] = binomialInterval(value, drawsAt(draws, factor));
  return [Math.min(value, lower), Math.max(value, upper)];
}

/**
 * Number of draws with known variance that are worth n draws with estimated variance: n (1.96 /
 * t)².
 *
 * @param factor t.
 */
export function drawsAt(draws: number, factor: number): number {
  return draws * (Z / factor) ** 2;
}

/**
 * Upper 97.5 % confidence limit of the probability of an event that n draws did not show.
 *
 * 1 − .025^(1/n), Clopper–Pearson at x = 0. @param draws n ≥ 0, not only whole numbers.
 */
export function limitOfNone(draws: number): number {
  return -Math.expm1(Math.log(TAIL) / draws);
}

/** Effective size C, the cap on the number of draws. */
function cappedSize({ hits, misses, userEss, rowEss }: WeightedMean): number {
  return isBelow(Math.min(hits, misses), FEW_HITS) ? userEss : rowEss;
}

/** Variance of R: the sampling variance, at least that of independent rows, plus that of γ. */
function variance(of: WeightedMean): number {
  const { value, stdErr, gammaStdErr, squaredGain, hits, misses } = of;
  const sampling = stdErr * stdErr;
  if (!isBelow(Math.min(hits, misses), MANY_HITS)) return sampling + gammaStdErr ** 2;
  const ofGains = value * Math.max(0, squaredGain - value);
  // The gain may be constant up to rounding.
  const capped = ofGains <= ROUNDING * value * squaredGain ? 0 : ofGains / cappedSize(of);
  return Math.max(sampling, capped) + gammaStdErr ** 2;
}

/** 95 % interval of a binomial proportion: `share` of `draws` are hits. */
function binomialInterval(share: number, draws: number): [number, number] {
  const hits = share * draws;
  const misses = draws - hits;
  if (isBelow(Math.min(hits, misses), MANY_COUNTED)) {
    return [betaQuantile(TAIL, hits, misses + 1), betaQuantile(1 - TAIL, hits + 1, misses)];
  }
  const z2 = (Z * Z) / draws;
  const centre = (share + z2 / 2) / (1 + z2);
  const half = Math.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2);
  return [centre - half, centre + half];
}
