import { exposureLevels } from './exposure-levels.js';
import { poissonGamma } from './poisson-gamma.js';
import { responseLevels } from './response-levels.js';
import { splitFit } from './split-fit.js';

/** Status of a fitted γ, the exponent of presentation bias: usable, or why not. */
export const GAMMA_INTERVAL_STATUSES = ['ok', 'noisy_counts', 'few_items', 'too_sparse'] as const;

/** γ from one of the two fits, with its standard error and interval. */
interface FittedExponent {
  /** NaN if the data do not determine γ. */
  readonly gamma: number;
  readonly stdErr: number;
  /** Ends of the 95 % interval. */
  readonly lower: number;
  readonly upper: number;
}

/**
 * γ, fitted to exposures by two models of how exposure follows popularity, with an interval that
 * covers both.
 */
export interface GammaInterval {
  readonly status: (typeof GAMMA_INTERVAL_STATUSES)[number];
  /** Fit on split counts: unbiased if exposures follow the long-run popularity behind the counts. */
  readonly split: FittedExponent & { readonly effectiveItems: number };
  /** Fit on the counts: unbiased if exposures follow the observed counts including their noise. */
  readonly poisson: FittedExponent;
  /** Ends of the union of both intervals. */
  readonly lower: number;
  readonly upper: number;
}

/** Search range of γ in the split fit. */
const FROM = -1.5;
const TO = 3.5;
/** The two fits disagree if they differ by more than this, relative to max(1, |γ|). */
const FAR_APART = 0.1;
const FEW_ITEMS = 3;
const Z = 1.96;

/**
 * Fit γ, the exponent of presentation bias, with an interval that allows for the noise of counts.
 *
 * split: exposures N_i ~ c Λ_i^γ, counts n_i ~ Poisson(Λ_i), by `splitFit`, t(ν − 1);
 * poisson: N_i ~ Poisson(c n_i^γ), by `poissonGamma`, ± 1.96 standard errors that are robust to
 * differences between items; interval: from the lower of the two lower ends to the upper of the
 * upper ones.
 * Source: own. One horizon cannot distinguish a policy that follows the observed counts from one
 * that follows the long-run popularity: the Poisson fit is too low in the second case, the split
 * fit too high in the first. Their union covers in at least 90 of 100 runs in either.
 *
 * Status: `too_sparse` if the split fit has no result (its numbers are NaN, the interval is that of
 * the Poisson fit); `few_items` if its error rests on ν < 3 effective items; `noisy_counts` if the
 * two differ by more than .1 max(1, |γ|). Only `ok` is a reliable result.
 *
 * @param laggedCounts n_i per item, from before the exposures; whole numbers.
 * @param exposures N_i per item. @param items number of items I to read.
 * @returns NaN for values that are not determined.
 * @throws RangeError for counts that are not whole numbers.
 * @example
 * gammaInterval(Float64Array.of(100, 200, 400), Float64Array.of(50, 200, 800), 3).split.gamma; // 2.0
 */
export function gammaInterval(
  laggedCounts: Float64Array,
  exposures: Float64Array,
  items: number,
): GammaInterval {
  const fit = splitFit(responseLevels(laggedCounts, exposures, items), FROM, TO);
  const { gamma, stdErr } = poissonGamma(exposureLevels(laggedCounts, exposures, items));
  const { alpha, lower, upper, effectiveItems } = fit;
  const split = {
    gamma: alpha,
    stdErr: fit.stdErr,
    lower,
    upper,
    effectiveItems,
  };
  const poisson = {
    gamma,
    stdErr,
    lower: gamma - Z * stdErr,
    upper: gamma + Z * stdErr,
  };
  const known = [split, poisson].filter((each) => Number.isFinite(each.lower));
  const isKnown = known.length > 0;
  return {
    status: statusOf(split, poisson),
    split,
    poisson,
    lower: isKnown ? Math.min(...known.map((each) => each.lower)) : Number.NaN,
    upper: isKnown ? Math.max(...known.map((each) => each.upper)) : Number.NaN,
  };
}

function statusOf(
  { gamma, effectiveItems }: GammaInterval['split'],
  poisson: FittedExponent,
): GammaInterval['status'] {
  if (Number.isNaN(gamma)) return 'too_sparse';
  if (effectiveItems < FEW_ITEMS) return 'few_items';
  const distance = Math.abs(gamma - poisson.gamma);
  return distance <= FAR_APART * Math.max(1, Math.abs(gamma)) ? 'ok' : 'noisy_counts';
}
