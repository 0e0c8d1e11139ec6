import { UNRANKED } from '../../../../state/panes/window-part.js';
import { Denominators } from '../../../uncertainty/moments.js';
import { PREDICTED, type RatingMeasure } from '../rating-measures.js';
import { type UserRun, usersOf } from './user-runs.js';

/** The rows of one model that measures of a kind take: those with a prediction, or with a list. */
export interface TakenRows {
  /** n_u, by user. */
  readonly counts: Denominators;
  /** Σw, by user. */
  readonly weights: Denominators;
  /** Rows by place of the rating. */
  readonly byPlace: Float64Array;
  /** Rows of users with a weight. */
  readonly weighted: number;
}

/** @param places C, values that a rating can have. */
export function* takenRows(
  runs: readonly UserRun[],
  model: number,
  kind: RatingMeasure['rows'],
  places: number,
): Generator<void, TakenRows> {
  const users = usersOf(runs);
  const [counts, weights] = [new Denominators(users), new Denominators(users)];
  const byPlace = new Float64Array(places);
  for (const run of runs) {
    if (kind === PREDICTED) takePredicted(run, model, counts.values, weights.values, byPlace);
    else takeListed(run, model, counts.values, weights.values, byPlace);
    yield;
  }
  counts.settle(users);
  weights.settle(users);
  let weighted = 0;
  for (let u = 0; u < users; u++) if (weights.values[u] > 0) weighted += counts.values[u];
  return { counts, weights, byPlace, weighted };
}

// Two loops: one that asks for the kind at every row is half as fast.
function takePredicted(
  { rows: { part, weight, place }, from, to, first }: UserRun,
  model: number,
  counts: Float64Array,
  weights: Float64Array,
  byPlace: Float64Array,
): void {
  const { start, isRandom } = part;
  const scores = part.scores[model];
  for (let s = from; s < to; s++) {
    let [n, sum] = [0, 0];
    for (let r = start[s]; r < start[s + 1]; r++) {
      if (isRandom[r] === 1 || Number.isNaN(scores[r])) continue;
      n++;
      sum += weight[r];
      byPlace[place[r]]++;
    }
    counts[first + s] = n;
    weights[first + s] = sum;
  }
}

function takeListed(
  { rows: { part, weight, place }, from, to, first }: UserRun,
  model: number,
  counts: Float64Array,
  weights: Float64Array,
  byPlace: Float64Array,
): void {
  const { start, isRandom } = part;
  const ranks = part.ranks[model];
  for (let s = from; s < to; s++) {
    let [n, sum] = [0, 0];
    for (let r = start[s]; r < start[s + 1]; r++) {
      if (isRandom[r] === 1 || ranks[r] === UNRANKED) continue;
      n++;
      sum += weight[r];
      byPlace[place[r]]++;
    }
    counts[first + s] = n;
    weights[first + s] = sum;
  }
}
