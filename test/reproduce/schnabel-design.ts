import type { Random } from '../../src/estimators/mathematics/random.js';
import { discountedRatingGain } from '../../src/estimators/metrics/rating-metrics.js';

/**
 * The semi-synthetic design of Schnabel et al. 2016, section 6.2: a fully known rating matrix with
 * the printed marginal distribution, ratings observed with a chance that falls with the rating.
 * The paper's matrix is a completed MovieLens one, which is not published. Here a rating is a normal
 * variate cut into the printed shares, and a part of its variance belongs to the user. MAE does not
 * depend on that part. DCG does: a user without fives has none to be recommended.
 */
export const USERS = 944;
export const ITEMS = 1683;
export const PAIRS = USERS * ITEMS;

/** Share of the ratings 1 to 5. */
export const SHARES = [0.5263, 0.2418, 0.1437, 0.0626, 0.0255];
const ALPHA = 0.25;
/** Chance of a rating of 4 or 5; 5 % of all ratings are observed. */
const K = 0.33922;
const DCG_CUT = 50;
/** Chosen for the true DCG@50 of REC FOURS, within its user noise; the others follow from it. */
const USER_VARIANCE = 0.36;

/** P of each rating: k α^max(0, 4 − r). */
export const PROPENSITY = [0, 1, 2, 3, 4, 5].map((r) => K * ALPHA ** Math.max(0, 4 - r));

export const PREDICTIONS = ['REC ONES', 'REC FOURS', 'ROTATE', 'SKEWED', 'COARSENED'] as const;
export type Prediction = (typeof PREDICTIONS)[number];

/** Y, user by user, with the exact shares. */
export function ratingMatrix(random: Random): Uint8Array {
  const taste = new Float64Array(PAIRS);
  for (let first = 0; first < PAIRS; first += ITEMS) {
    const user = Math.sqrt(USER_VARIANCE) * random.normal();
    for (let pair = first; pair < first + ITEMS; pair++) {
      taste[pair] = user + Math.sqrt(1 - USER_VARIANCE) * random.normal();
    }
  }
  const sorted = taste.slice().sort();
  const total = SHARES.reduce((a, b) => a + b, 0);
  const [one, two, three, four] = SHARES.map((_, r) => {
    const share = SHARES.slice(0, r + 1).reduce((a, b) => a + b, 0) / total;
    return sorted[Math.round(share * PAIRS)];
  });
  return Uint8Array.from(
    taste,
    (t) => 1 + Number(t >= one) + Number(t >= two) + Number(t >= three) + Number(t >= four),
  );
}

/** Ŷ of one of the five prediction matrices of section 3.4. */
export function predict(name: Prediction, ratings: Uint8Array, random: Random): Float64Array {
  switch (name) {
    case 'REC ONES':
      return flipToFive(ratings, 1, random);
    case 'REC FOURS':
      return flipToFive(ratings, 4, random);
    case 'ROTATE':
      return Float64Array.from(ratings, (r) => (r >= 2 ? r - 1 : 5));
    case 'SKEWED':
      return Float64Array.from(ratings, (r) =>
        Math.min(6, Math.max(0, r + ((6 - r) / 2) * random.normal())),
      );
    case 'COARSENED':
      return Float64Array.from(ratings, (r) => (r <= 3 ? 3 : 4));
  }
}

/** Y, but as many ratings of `flipped` as there are fives become fives. */
function flipToFive(ratings: Uint8Array, flipped: number, random: Random): Float64Array {
  const predicted = Float64Array.from(ratings);
  const candidates: number[] = [];
  let fives = 0;
  ratings.forEach((rating, pair) => {
    if (rating === flipped) candidates.push(pair);
    if (rating === 5) fives++;
  });
  const order = Int32Array.from(candidates);
  random.shuffle(order);
  for (const pair of order.subarray(0, fives)) predicted[pair] = 5;
  return predicted;
}

/** δ of DCG@50: each user's items by Ŷ; ties by item, which says nothing about the rating here. */
export function discountedGains(ratings: Uint8Array, predicted: Float64Array): Float64Array {
  const delta = new Float64Array(PAIRS);
  for (let first = 0; first < PAIRS; first += ITEMS) {
    const own = predicted.subarray(first, first + ITEMS);
    const order = Uint16Array.from(own, (_, item) => item).sort((a, b) => own[b] - own[a] || a - b);
    order.subarray(0, DCG_CUT).forEach((item, rank) => {
      delta[first + item] = discountedRatingGain(ratings[first + item], rank, ITEMS, DCG_CUT);
    });
  }
  return delta;
}

/** The pairs that one draw of O observes. */
export function observe(ratings: Uint8Array, random: Random): Int32Array {
  const seen: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    if (random.next() < PROPENSITY[ratings[pair]]) seen.push(pair);
  }
  return Int32Array.from(seen);
}
