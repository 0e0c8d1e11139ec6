import type { LearnedPropensities } from './learned-propensities.js';
import type { PackedPropensities } from './packed-propensities.js';
import type { PropensityModel } from './propensity-file.js';

/** Identity of learned propensities, reported with every output that uses them. */
export interface PropensityStamp {
  readonly kind: PropensityModel['kind'];
  /** Hash of the content; the same events and options give the same version. */
  readonly version: string;
  /** Event time of the newest rating that they were learned from, ISO 8601. */
  readonly date: string;
}

/** Comparison with the other kind of model on the same ratings, if both could be learned. */
export type OtherKind = ComparedPropensities & { readonly with: PropensityModel['kind'] };

/** Learned propensities in use, with the metadata that outputs report. */
export interface UsedPropensities extends PropensityStamp {
  readonly learned: LearnedPropensities;
  /** Margins that the propensities predict; null if the model file lacks them. */
  readonly margins: ExpectedMargins | null;
  readonly comparison: OtherKind | null;
}

/**
 * Source of learned propensities for code without file access. The model may be replaced between
 * two calls; a returned value does not change.
 */
export interface PropensitySource {
  current(): UsedPropensities;
}

/** Comparison of two sets of propensities over the observed ratings. */
interface ComparedPropensities {
  /** The largest of P / P′ and P′ / P. */
  readonly largestRatio: number;
  /** Estimated mean rating by the first and by the second propensities. */
  readonly means: readonly [number, number];
  /** 2 standard errors of the difference of the means. */
  readonly margin: number;
  /** Whether the means differ significantly, so that at least one of the two models is wrong. */
  readonly doDisagree: boolean;
}

/**
 * Compare two sets of propensities by their estimates of the mean rating.
 *
 * means: SNIPS of the rating; margin: 2 √(Σ_r e_r²), e_r = w_r (y_r − R) / Σw − w′_r (y_r − R′) /
 * Σw′, the linearised difference of the two. Source: Schnabel et al. 2016, eq. 11; Särndal et al.
 * 1992, 5.5 (linearisation). The error of the propensities themselves is ignored, so the margin is
 * too narrow.
 *
 * @param rating y. @param one P. @param other P′, of the same ratings.
 * @returns NaN in all fields without ratings.
 * @example
 * comparedPropensities([1, 5], [0.1, 0.5], [0.1, 0.1]).means; // [1.666…, 3]
 */
export function comparedPropensities(
  rating: ArrayLike<number>,
  one: ArrayLike<number>,
  other: ArrayLike<number>,
): ComparedPropensities {
  const [a, b] = [one, other].map((propensity) => weightedMean(rating, propensity));
  let largestRatio = Number.NaN;
  let variance = 0;
  for (let r = 0; r < rating.length; r++) {
    const ratio = one[r] / other[r];
    largestRatio = Math.max(Number.isNaN(largestRatio) ? 1 : largestRatio, ratio, 1 / ratio);
    const influence =
      (rating[r] - a.mean) / one[r] / a.weights - (rating[r] - b.mean) / other[r] / b.weights;
    variance += influence * influence;
  }
  const margin = 2 * Math.sqrt(variance);
  const doDisagree = Math.abs(a.mean - b.mean) > margin;
  return {
    largestRatio,
    means: [a.mean, b.mean],
    margin,
    doDisagree,
  };
}

function weightedMean(rating: ArrayLike<number>, propensity: ArrayLike<number>) {
  let weights = 0;
  let sum = 0;
  for (let r = 0; r < rating.length; r++) {
    weights += 1 / propensity[r];
    sum += rating[r] / propensity[r];
  }
  return {
    weights,
    mean: sum / weights,
  };
}

/** Number of ratings that learned propensities predict, by category, up to a common factor. */
interface ExpectedMargins {
  /** Categories: by item for lr, by the value of the rating for nb. */
  readonly of: 'items' | 'values';
  /** ΣP by category. */
  readonly sums: Float64Array;
  /**
   * Category of a rated pair. @param item index from `LearnedPropensities.itemOf`.
   * @returns −1 for an item or a value that the model does not know.
   */
  placeOf(item: number, rating: number): number;
}

/**
 * Expected margins of the ratings, if the propensities are still valid.
 *
 * lr: ΣP_ui over the users of the file, by item. nb: P(O | r) does not depend on the item, and ΣP
 * over the pairs of a value r is n_r, the number of chosen ratings of that value.
 * Source: the score equations of the regression; Schnabel et al. 2016, eq. 17.
 *
 * @returns null for an older file without the sums. O(items).
 * @example
 * const values = [{ rating: 1, chosen: 2, random: 3, propensity: 0.03 }];
 * expectedMargins({ kind: 'nb', smoothing: 1, values })?.placeOf(0, 1); // 0
 */
export function expectedMargins(
  model: PropensityModel | PackedPropensities,
): ExpectedMargins | null {
  if (model.kind === 'nb') {
    // Rated rows store ratings as 32-bit floats.
    const places = new Map(model.values.map(({ rating }, place) => [Math.fround(rating), place]));
    return {
      of: 'values',
      sums: Float64Array.from(model.values, ({ chosen }) => chosen),
      placeOf: (_item, rating) => places.get(Math.fround(rating)) ?? -1,
    };
  }
  if (model.itemSums === undefined) return null;
  return {
    of: 'items',
    sums: Float64Array.from(model.itemSums),
    placeOf: (item) => item,
  };
}
