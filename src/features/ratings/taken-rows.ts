import { Denominators } from '../../estimators/uncertainty/moments.js';
import { UNRANKED } from '../../state/panes/window-part.js';
import { PREDICTED, type RatingMeasure } from './rating-measures.js';
import type { WeighedRatings } from './weighed-ratings.js';

/**
 * Numbers of one model's rows that measures of one kind use: rows with a prediction, or rows with a
 * list.
 */
export interface TakenRows {
  /** Number of rows by user, n_u. */
  readonly counts: Denominators;
  /** Sum of weights by user, Σw. */
  readonly weights: Denominators;
  /** Number of rows by rating value. */
  readonly byPlace: Float64Array;
  /** Number of rows of users whose Σw is above 0. */
  readonly weighted: number;
}

/** A model and the kind of rows to count. */
interface Asked {
  readonly model: number;
  readonly kind: RatingMeasure['rows'];
  /** Number C of possible rating values. */
  readonly places: number;
}

/**
 * Count the rows of a model that measures of a kind use; rows from randomised traffic are left out.
 * O(rows).
 */
export function takenRows(ratings: WeighedRatings, { model, kind, places }: Asked): TakenRows {
  const { users } = ratings.rated;
  const counts = new Denominators(users);
  const weights = new Denominators(users);
  const byPlace = new Float64Array(places);
  const into = {
    counts: counts.values,
    weights: weights.values,
    byPlace,
  };
  if (kind === PREDICTED) {
    takePredicted(ratings, model, into);
  } else {
    takeListed(ratings, model, into);
  }
  counts.settle(users);
  weights.settle(users);
  let weighted = 0;
  for (let u = 0; u < users; u++) {
    if (weights.values[u] > 0) {
      weighted += counts.values[u];
    }
  }
  return {
    counts,
    weights,
    byPlace,
    weighted,
  };
}

type Columns = Readonly<Record<'counts' | 'weights' | 'byPlace', Float64Array>>;

// Two loops, because testing the kind at every row halves the speed.
function takePredicted(
  { rated, weight, place }: WeighedRatings,
  model: number,
  { counts, weights, byPlace }: Columns,
): void {
  const { users, start, isRandom } = rated;
  const scores = rated.scores[model];
  for (let u = 0; u < users; u++) {
    let n = 0;
    let sum = 0;
    for (let r = start[u]; r < start[u + 1]; r++) {
      if (isRandom[r] === 1 || Number.isNaN(scores[r])) continue;
      n++;
      sum += weight[r];
      byPlace[place[r]]++;
    }
    counts[u] = n;
    weights[u] = sum;
  }
}

function takeListed(
  { rated, weight, place }: WeighedRatings,
  model: number,
  { counts, weights, byPlace }: Columns,
): void {
  const { users, start, isRandom } = rated;
  const ranks = rated.ranks[model];
  for (let u = 0; u < users; u++) {
    let n = 0;
    let sum = 0;
    for (let r = start[u]; r < start[u + 1]; r++) {
      if (isRandom[r] === 1 || ranks[r] === UNRANKED) continue;
      n++;
      sum += weight[r];
      byPlace[place[r]]++;
    }
    counts[u] = n;
    weights[u] = sum;
  }
}
