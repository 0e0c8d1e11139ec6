import { type ExposureLevels, exposureLevels } from './exposure-levels.js';
import type { GammaFit, GammaStatus } from './gamma.js';
import { poissonGamma } from './poisson-gamma.js';

/** The largest share of seen items that the fit may leave out at the top. */
const TOP_SHARE = 0.005;
const MIN_LEVELS = 5;
const MIN_LOG_RANGE = Math.log(4);
/** A fit is poor if its R² is below `MIN_R2` and its standard error above `MAX_STD_ERR`. */
const MIN_R2 = 0.5;
const MAX_STD_ERR = 0.125;

/**
 * Fit γ, the exponent of presentation bias, to exposures by popularity level.
 *
 * ols: γ = slope of y on x, x = ln n, y = ln(F_n / m_n), over the levels n with m_n > 0 and F_n >
 * 0:
 * γ = Σ (x − x̄)(y − ȳ) / Σ (x − x̄)²; stdErr = √(SSR / (K − 2) / Σ (x − x̄)²).
 * poisson: F_n ~ Poisson(m_n e^{a + γ x}) over the levels with m_n > 0; its standard error is
 * robust to differences between items, see `poissonGamma`.
 * m_n counts the items at level n, F_n their exposures. The most popular items are left out: with
 * T(n) = #{i : n_i > n}, levels above the smallest ν with T(ν) ≤ 0.005 T(0) are excluded.
 * Source: Yang et al. 2018, eqs. 20–22 (eq. 22 over all pairs of levels equals the OLS slope).
 *
 * Bias: the OLS slope is too low if items differ within a level, as it excludes levels without
 * exposures; both slopes are spurious unless the counts precede the exposures. Status:
 * `too_few_levels` with K < 5 levels or a range of x below ln 4; `poor_fit` if R² < 0.5 and stdErr
 * > 0.125 (a flat curve has a low R² even if γ ≈ 0 is precise, so a low R² alone is not enough);
 * the caller sets `stale`.
 *
 * @param laggedCounts n_i per item, from the period before the exposures.
 * @param exposures N_i per item. @param items number of items I.
 * @returns NaN for values that the levels do not determine (γ below two levels, stdErr below
 * three).
 * @example
 * fitGamma(Float64Array.of(1, 2, 4), Float64Array.of(1, 4, 16), 3).ols.gamma; // 2
 */
export function fitGamma(
  laggedCounts: Float64Array,
  exposures: Float64Array,
  items: number,
): GammaFit {
  const levels = exposureLevels(laggedCounts, exposures, items);
  const end = topCut(levels);
  const poisson = poissonGamma(levels, end);
  const x: number[] = [];
  const y: number[] = [];
  for (let j = 0; j < end; j++) {
    if (!(levels.exposures[j] > 0)) continue;
    x.push(Math.log(levels.count[j]));
    y.push(Math.log(levels.exposures[j] / levels.items[j]));
  }
  const ols = leastSquares(x, y);
  const range = x.length === 0 ? 0 : x[x.length - 1] - x[0];
  return {
    ols,
    poisson,
    levels: x.length,
    zeroLevels: end - x.length,
    status: gammaStatus(x.length, range, ols),
    curve: exposureCurve(levels),
  };
}

/** Number of levels that the fit uses: those at or below ν, see `fitGamma`. */
function topCut(levels: ExposureLevels): number {
  const seen = levels.items.reduce((sum, items) => sum + items, 0);
  let above = 0;
  let end = levels.count.length;
  // From the top, as long as at most this share of the rows is above level j − 1.
  while (end > 1 && above + levels.items[end - 1] <= TOP_SHARE * seen) {
    above += levels.items[--end];
  }
  return end;
}

function leastSquares(x: readonly number[], y: readonly number[]): GammaFit['ols'] {
  const size = x.length;
  const meanX = x.reduce((sum, value) => sum + value, 0) / size;
  const meanY = y.reduce((sum, value) => sum + value, 0) / size;
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (let j = 0; j < size; j++) {
    xx += (x[j] - meanX) ** 2;
    xy += (x[j] - meanX) * (y[j] - meanY);
    yy += (y[j] - meanY) ** 2;
  }
  if (size < 2) {
    return {
      gamma: Number.NaN,
      stdErr: Number.NaN,
      r2: Number.NaN,
      intercept: Number.NaN,
    };
  }
  const gamma = xy / xx;
  let residual = 0;
  for (let j = 0; j < size; j++) {
    residual += (y[j] - meanY - gamma * (x[j] - meanX)) ** 2;
  }
  return {
    gamma,
    stdErr: size > 2 ? Math.sqrt(residual / (size - 2) / xx) : Number.NaN,
    r2: yy === 0 ? 1 : 1 - residual / yy,
    intercept: meanY - gamma * meanX,
  };
}

function gammaStatus(levels: number, range: number, ols: GammaFit['ols']): GammaStatus {
  // Allow for rounding, so that levels 1 and 4 have a range of ln 4.
  if (levels < MIN_LEVELS || range < MIN_LOG_RANGE - 1e-12) return 'too_few_levels';
  return ols.r2 < MIN_R2 && ols.stdErr > MAX_STD_ERR ? 'poor_fit' : 'ok';
}

/**
 * Exposures per item by count, f(n) = F_n / m_n, in bins [2^b, 2^(b+1)) of n; bins without items
 * are omitted.
 */
function exposureCurve(levels: ExposureLevels): GammaFit['curve'] {
  const bins = new Map<
    number,
    {
      items: number;
      exposures: number;
      logs: number;
    }
  >();
  for (let j = 0; j < levels.count.length; j++) {
    let level = 2 ** Math.floor(Math.log2(levels.count[j]));
    // log2 may round up just below a power of two.
    if (level > levels.count[j]) {
      level /= 2;
    }
    const bin = bins.get(level) ?? {
      items: 0,
      exposures: 0,
      logs: 0,
    };
    bin.items += levels.items[j];
    bin.exposures += levels.exposures[j];
    bin.logs += levels.items[j] * Math.log(levels.count[j] / level);
    bins.set(level, bin);
  }
  return [...bins].map(([level, { items, exposures, logs }]) => ({
    level,
    meanLevel: level * Math.exp(logs / items),
    exposuresPerItem: exposures / items,
  }));
}
