import { naiveBayesPropensity } from '../../estimators/propensity/naive-bayes.js';
import { nearestRatings, type RatingScale, ratingCount } from '../../events/rating-scale.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import type { RatingOptions } from './rating-options.js';
import type { RatingPropensityRow } from './rating-report.js';

/** Ratings of each value, by places on the scale. */
export interface RatingCounts {
  readonly chosen: Float64Array;
  readonly random: Float64Array;
  /** Users with a rating that they chose to give. */
  readonly users: number;
  readonly offScale: number;
}

/** Weights of the rated pairs of a window. */
export interface RatingWeights {
  /** Why there are none; undefined if there are. */
  readonly refused?: string;
  readonly pairs: number;
  /** Of `nb`: 1 / P by place on the scale, and whether it moves with the counts. */
  readonly byPlace?: {
    readonly weight: Float64Array;
    readonly isFree: Uint8Array;
  };
  /**
   * 1 / P of each row before it is clipped, by the place of its rating; 0 for a row without a
   * propensity.
   */
  inverses(rated: RatedPart, place: Uint16Array): Float64Array;
  /** min(1 / P, the largest weight). */
  readonly most: number;
}

/** O(ratings). */
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
 * The weights 1 / P of rated pairs, P the chance that a pair is rated.
 *
 * `nb`: P(O | r) by the value of the rating, from the window's ratings of both kinds
 * (naive-bayes.ts); `logged`: what the list that led to the rating logs for its item; `file`: what
 * was learned before, by user and item or by the value (propensity/learned).
 * Source: Schnabel et al. 2016, section 5. Popularity gives none: a power of an item's count does
 * nothing for the errors of ratings, which are biased by the rating itself.
 *
 * @param items I, of the catalogue. @returns with `refused` set, and all weights 0, if the window
 * lacks what the propensities come from.
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
  // One that is 1, or clipped, stays where it is if the counts move a little.
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
    ? 'has ratings with a value that randomised traffic lacks, and ratings.smoothing is 0'
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
