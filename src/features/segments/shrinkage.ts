/** Estimate of a single segment before shrinkage. */
export interface MeasuredSegment {
  /** Estimate y_s. */
  readonly value: number;
  /** Effective number of users e_s. */
  readonly users: number;
  /** Variance V_s of y_s, clustered by user. */
  readonly variance: number;
}

/** The estimate of a segment, shrunk towards the common mean. */
export interface ShrunkenSegment {
  /** Shrunk estimate θ_s. */
  readonly value: number;
  /** Lower end of the 95 % interval. */
  readonly low: number;
  /** Upper end of the 95 % interval. */
  readonly high: number;
  /** Fraction B_s of the distance to the mean by which the estimate was shrunk, 0 to 1. */
  readonly shrinkage: number;
}

/** Result of shrinking the segments of a dimension. */
export interface Shrinkage {
  /** Mean μ that segments are shrunk towards. */
  readonly mean: number;
  /** Variance τ² of true values between segments. */
  readonly between: number;
  readonly segments: readonly ShrunkenSegment[];
}

/** Why segments are not shrunk. */
export type ShrinkageRefusal = 'few_segments' | 'no_variance';

/**
 * Least number of segments for shrinkage. With fewer, τ² is too uncertain, and the intervals would
 * be as wide as without shrinkage.
 */
export const LEAST_SEGMENTS = 6;

/** Quantile of the standard normal distribution for a two-sided 95 % interval. */
const Z = 1.959963984540054;
/** Number of grid steps of ln τ² before the best point is refined. */
const GRID = 96;

/**
 * Shrink the estimates of many small segments towards their common mean: the less data a segment
 * has, the more.
 *
 * Segment s has the estimate y_s, e_s effective users and the variance V_s. All segments share one
 * variance per user, ū = Σ e² V / Σ e, so v_s = ū / e_s. A segment without hits has V = 0, and
 * would otherwise outweigh all others. The variance τ² between segments maximises τ² · L_REML(τ²)
 * (L_REML: restricted likelihood), so it is never 0. With w_s = 1 / (v_s + τ²): μ = Σ w y / Σ w,
 * B_s = v_s w_s and θ_s = μ + (1 − B_s)(y_s − μ), with the variance v (1 − B) + B² / Σw + 2 [v² /
 * (v + τ²)³] · 2 / Σw². Its three terms come from the value, from μ and from τ².
 * **Source**: Morris & Tang 2011, Estimating random effects via adjustment for density
 * maximization. Intervals have their coverage on average over segments, not for a true outlier, so
 * show the raw value beside.
 *
 * @param segments the segments that are shown, with users > 0.
 * @returns in the order given; a reason if there are fewer than 6 segments, or if no value varies.
 * @example
 * const six = [0.1, 0.2, 0.1, 0.3, 0.2, 0.15].map((value) => ({ value, users: 50, variance: 1e-4 }));
 * const shrunken = shrink(six);
 * typeof shrunken === 'string' ? 0 : shrunken.segments[3].value < 0.3; // true
 */
export function shrink(segments: readonly MeasuredSegment[]): Shrinkage | ShrinkageRefusal {
  if (segments.length < LEAST_SEGMENTS) return 'few_segments';
  const unit = variancePerUser(segments);
  if (!(unit > 0)) return 'no_variance';
  const values = segments.map(({ value }) => value);
  const variances = segments.map(({ users }) => unit / users);
  const between = betweenVariance(values, variances);
  const { mean, weight, squaredWeight } = weightedMean(values, variances, between);
  const shrunken = segments.map(({ value }, s) => {
    const v = variances[s];
    const b = v / (v + between);
    const centre = mean + (1 - b) * (value - mean);
    const ofBetween = (2 * v ** 2 * 2) / ((v + between) ** 3 * squaredWeight);
    const error = Math.sqrt(v * (1 - b) + b ** 2 / weight + ofBetween);
    return {
      value: centre,
      low: centre - Z * error,
      high: centre + Z * error,
      shrinkage: b,
    };
  });
  return {
    mean,
    between,
    segments: shrunken,
  };
}

/** Variance per user, ū = Σ e² V / Σ e. */
function variancePerUser(segments: readonly MeasuredSegment[]): number {
  let sum = 0;
  let users = 0;
  for (const segment of segments) {
    sum += segment.users ** 2 * segment.variance;
    users += segment.users;
  }
  return sum / users;
}

interface WeightedMean {
  readonly mean: number;
  /** Σ w over the segments, with their weights w. */
  readonly weight: number;
  /** Σ w² over the segments. */
  readonly squaredWeight: number;
  /** Σ ln w over the segments. */
  readonly logWeight: number;
}

function weightedMean(
  values: readonly number[],
  variances: readonly number[],
  between: number,
): WeightedMean {
  let weight = 0;
  let squaredWeight = 0;
  let logWeight = 0;
  let sum = 0;
  for (let s = 0; s < values.length; s++) {
    const w = 1 / (variances[s] + between);
    weight += w;
    squaredWeight += w * w;
    logWeight += Math.log(w);
    sum += w * values[s];
  }
  return {
    mean: sum / weight,
    weight,
    squaredWeight,
    logWeight,
  };
}

/**
 * Logarithm of the adjusted likelihood of τ², the variance between segments: ln τ² + ln L_REML(τ²),
 * up to a constant.
 */
function adjustedLogLikelihood(
  values: readonly number[],
  variances: readonly number[],
  between: number,
): number {
  const { mean, weight, logWeight } = weightedMean(values, variances, between);
  let residual = 0;
  for (let s = 0; s < values.length; s++) {
    residual += (values[s] - mean) ** 2 / (variances[s] + between);
  }
  return Math.log(between) + (logWeight - Math.log(weight) - residual) / 2;
}

/**
 * The τ² that maximises the adjusted likelihood: by a grid of ln τ², then by golden-section search
 * between the neighbours of the best point.
 */
function betweenVariance(values: readonly number[], variances: readonly number[]): number {
  const range = Math.max(...values) - Math.min(...values);
  const least = Math.log(Math.min(...variances)) - 14;
  const most = Math.log(Math.max(...variances) + range ** 2) + 7;
  const step = (most - least) / GRID;
  const of = (log: number) => adjustedLogLikelihood(values, variances, Math.exp(log));
  let best = least;
  let highest = Number.NEGATIVE_INFINITY;
  for (let g = 0; g <= GRID; g++) {
    const height = of(least + g * step);
    if (height <= highest) continue;
    highest = height;
    best = least + g * step;
  }
  return Math.exp(highestBetween(of, best - step, best + step));
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

function highestBetween(of: (x: number) => number, from: number, to: number): number {
  let low = from;
  let high = to;
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let atLeft = of(left);
  let atRight = of(right);
  while (high - low > 1e-10) {
    if (atLeft < atRight) {
      low = left;
      left = right;
      atLeft = atRight;
      right = low + GOLDEN * (high - low);
      atRight = of(right);
    } else {
      high = right;
      right = left;
      atRight = atLeft;
      left = high - GOLDEN * (high - low);
      atLeft = of(left);
    }
  }
  return (low + high) / 2;
}
