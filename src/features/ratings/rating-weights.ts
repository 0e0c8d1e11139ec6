import { naiveBayesPropensity } from '../../estimators/propensity/naive-bayes.js';
import { nearestRatings, type RatingScale, ratingCount } from '../../events/rating-scale.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import type { RatingOptions } from './rating-options.js';
import type { RatingPropensityRow } from './rating-report.js';

/**
 * Numbers of ratings by value, in the order of the scale: those that users chose to give, and those
 * from randomised traffic.
 */
export interface RatingCounts {
  readonly chosen: Float64Array;
  readonly random: Float64Array;
  /** Number of users with at least one rating that they chose to give. */
  readonly users: number;
  /** Number of interactions whose value is not on the rating scale. */
  readonly offScale: number;
}

/** Weights of the rated pairs of a window. */
export interface RatingWeights {
  /** Why there are no weights; undefined if there are. */
  readonly refused?: string;
  /** Number of all pairs: users who rated times items of the catalogue. */
  readonly pairs: number;
  /**
   * For `nb` only: 1 / P by rating value (`weight`). `isFree` is 1 for a rating value whose weight
   * changes with the counts, and 0 for one with P = 1 or a clipped weight.
   */
  readonly byPlace?: {
    readonly weight: Float64Array;
    readonly isFree: Uint8Array;
  };
  /**
   * Compute 1 / P of each row before clipping; 0 for a row without a propensity.
   *
   * @param place position of each rating on the scale
   */
  inverses(rated: RatedPart, place: Uint16Array): Float64Array;
  /** Largest weight M; Infinity without a limit. The weight of a row is min(1 / P, M). */
  readonly most: number;
}

/** Count chosen and randomised ratings by value. O(ratings). */
export function ratingCounts(
  { users, start, rating, isRandom, offScale }: RatedPart,
  scale: RatingScale,
): RatingCounts {
  const places = nearestRatings(scale, rating);
  const chosen = new Float64Array(ratingCount(scale));
  const random = new Float64Array(ratingCount(scale));
  let raters = 0;
  for (let u = 0; u < users; u++) {
    let isRater = false;
    for (let r = start[u]; r < start[u + 1]; r++) {
      if (isRandom[r] === 1) {
        random[places[r]]++;
      } else {
        chosen[places[r]]++;
        isRater = true;
      }
    }
    if (isRater) {
      raters++;
    }
  }
  return {
    chosen,
    random,
    users: raters,
    offScale,
  };
}

/**
 * Compute the weights 1 / P of rated pairs, where P is the probability that a pair is rated.
 *
 * `nb`: P(O | r) by rating value r, from the window's chosen and randomised ratings
 * (naive-bayes.ts); `logged`: the propensity that was logged for the item with the list that led to
 * the rating; `file`: learned before, by user and item or by rating value (propensity/learned).
 * Source: Schnabel et al. 2016, section 5. Propensities by popularity are not available, because
 * the bias in errors of ratings comes from the rating itself: a power of an item's count does not
 * correct it.
 *
 * @param items I, number of items in the catalogue. @returns `refused` and weights of 0 if `nb`
 * lacks the ratings it needs.
 */
export function ratingWeights(
  counts: RatingCounts,
  items: number,
  { propensity, smoothing, maxWeight }: RatingOptions,
): RatingWeights {
  const pairs = counts.users * items;
  const most = maxWeight ?? Number.POSITIVE_INFINITY;
  if (propensity !== 'nb') {
    const inverses = ({ propensity: logged, learned }: RatedPart, place: Uint16Array) => {
      const known = propensity === 'logged' ? logged : learned;
      const inverse = new Float64Array(place.length);
      if (known === undefined) return inverse;
      for (let r = 0; r < inverse.length; r++) {
        inverse[r] = known[r] > 0 ? 1 / known[r] : 0;
      }
      return inverse;
    };
    return {
      pairs,
      most,
      inverses,
    };
  }
  const refused = whyNoBayes(counts, smoothing);
  if (refused !== undefined) {
    return {
      refused,
      pairs,
      most,
      inverses: ({ rating }) => new Float64Array(rating.length),
    };
  }
  const propensities = naiveBayesPropensity(counts.chosen, counts.random, pairs, smoothing);
  const weight = propensities.map((p) => (p > 0 ? 1 / p : 0));
  // A propensity of 1, or a clipped weight, does not change if the counts change a little.
  const isFree = Uint8Array.from(propensities, (p) => (p < 1 && 1 / p < most ? 1 : 0));
  return {
    pairs,
    most,
    byPlace: { weight, isFree },
    inverses: (_, place) => {
      const inverse = new Float64Array(place.length);
      for (let r = 0; r < place.length; r++) {
        inverse[r] = weight[place[r]];
      }
      return inverse;
    },
  };
}

function whyNoBayes({ chosen, random }: RatingCounts, smoothing: number): string | undefined {
  if (random.every((count) => count === 0)) {
    return 'needs ratings from randomised traffic, and the window has none';
  }
  const isMissing = smoothing === 0 && chosen.some((count, r) => count > 0 && random[r] === 0);
  return isMissing
    ? 'needs randomised ratings of every value that users gave, or ratings.smoothing above 0'
    : undefined;
}

/** Convert P by rating value to rows of the report. */
export function propensityRows(
  { chosen, random }: RatingCounts,
  { byPlace }: RatingWeights,
  { scale }: RatingOptions,
): RatingPropensityRow[] {
  if (byPlace === undefined) return [];
  return Array.from(chosen, (count, place) => ({
    rating: scale.lowest + place * scale.step,
    chosen: count,
    random: random[place],
    propensity: count > 0 ? 1 / byPlace.weight[place] : Number.NaN,
  }));
}
