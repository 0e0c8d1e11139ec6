import type { LearnedPropensities } from './learned-propensities.js';
import type { PackedPropensities } from './packed-propensities.js';
import type { PropensityModel } from './propensity-file.js';

/** What learned propensities say of themselves, for every output that rests on them. */
export interface PropensityStamp {
  readonly kind: PropensityModel['kind'];
  /** Of the content: the same events and choices give the same. */
  readonly version: string;
  /** Event time of the newest rating that they were learned from, ISO 8601. */
  readonly date: string;
}

/** What the other kind makes of the same ratings, where both could be learned. */
export type OtherKind = ComparedPropensities & { readonly with: PropensityModel['kind'] };

/** Learned propensities as they are used, with all that an output has to say of them. */
export interface UsedPropensities extends PropensityStamp {
  readonly learned: LearnedPropensities;
  /** Null if what they came from does not say. */
  readonly margins: ExpectedMargins | null;
  readonly comparison: OtherKind | null;
}

/**
 * Where learned propensities come from, for those who must not read files. They may be replaced
 * between two calls, never within what a call gave.
 */
export interface PropensitySource {
  current(): UsedPropensities;
}

/** How two sets of propensities stand to each other, over the observed ratings. */
interface ComparedPropensities {
  /** The largest of P / P′ and P′ / P. */
  readonly largestRatio: number;
  /** Mean rating by the one, by the other, and 2 standard errors of their difference. */
  readonly means: readonly [number, number];
  readonly margin: number;
  /** The means differ by more than chance: at least one of the two is wrong. */
  readonly doDisagree: boolean;
}

/**
 * Compares two propensities of the same ratings by what they make of the mean rating.
 *
 * means: SNIPS of the rating; margin: 2 √(Σ_r e_r²), e_r = w_r (y_r − R) / Σw − w′_r (y_r − R′) / Σw′,
 * the linearised difference of the two. Source: Schnabel et al. 2016, eq. 11; Särndal et al. 1992,
 * 5.5 (linearisation). What the two are estimated from is taken as given, so the margin is narrow.
 *
 * @param rating y. @param one P. @param other P′, of the same ratings.
 * @returns NaN in all without ratings.
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

/** How many ratings of what learned propensities expect, up to a common factor. */
interface ExpectedMargins {
  /** lr: by item; nb: by the value of the rating. */
  readonly of: 'items' | 'values';
  /** ΣP by place. */
  readonly sums: Float64Array;
  /**
   * Place of a rated pair. @param item number, as `LearnedPropensities` has it.
   * @returns −1 for an item or a value that nothing was learned of.
   */
  placeOf(item: number, rating: number): number;
}

/**
 * What the margins of the ratings are, if the propensities still hold.
 *
 * lr: ΣP_ui over the users of the file, by item. nb: P(O | r) says nothing of single items, but
 * ΣP over the pairs of a value r is n_r, the chosen ratings of that value.
 * Source: the score equations of the regression; Schnabel et al. 2016, eq. 17.
 *
 * @returns null for a file from before the sums were kept. O(items).
 * @example
 * const values = [{ rating: 1, chosen: 2, random: 3, propensity: 0.03 }];
 * expectedMargins({ kind: 'nb', smoothing: 1, values })?.placeOf(0, 1); // 0
 */
export function expectedMargins(
  model: PropensityModel | PackedPropensities,
): ExpectedMargins | null {
  if (model.kind === 'nb') {
    // Rated rows keep ratings in four bytes.
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
