import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { Denominators } from '../../estimators/uncertainty/moments.js';
import { UNRANKED } from '../../state/panes/window-part.js';
import { PREDICTED, type RatingMeasure } from './rating-measures.js';
import { type RatingRuns, type UserRun, usersOf } from './user-runs.js';

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

/** Of counts and of weights: users, their sum and that of squares; then rows with a weight. */
const SCALARS = 7;

/**
 * By model.
 *
 * @param places C, values that a rating can have. @param rounds bring the sums of all partitions
 * together: one round for all models.
 */
export function* takenRows(
  window: Pick<RatingRuns, 'all' | 'of' | 'parts'>,
  models: number,
  kind: RatingMeasure['rows'],
  places: number,
  rounds: Rounds,
): Generator<void, TakenRows[]> {
  const users = usersOf(window.all);
  const columns = Array.from({ length: models }, () => {
    return { counts: new Denominators(users), weights: new Denominators(users) };
  });
  const size = SCALARS + places;
  const none = new NumberSums(models * size);
  const { values } = yield* rounds.gather(none, window.parts, function* take(sums, part) {
    for (const [m, { counts, weights }] of columns.entries()) {
      const into = sums.values.subarray(size * m, size * (m + 1));
      for (const run of window.of(part)) {
        const byPlace = into.subarray(SCALARS);
        if (kind === PREDICTED) takePredicted(run, m, counts.values, weights.values, byPlace);
        else takeListed(run, m, counts.values, weights.values, byPlace);
        addScalars(run, counts.values, weights.values, into);
        yield;
      }
    }
  });
  return columns.map(({ counts, weights }, m) => {
    const own = values.subarray(size * m, size * (m + 1));
    for (const [c, column] of [counts, weights].entries()) {
      column.users = users;
      [column.weighted, column.sum, column.squares] = own.subarray(3 * c, 3 * c + 3);
    }
    return { counts, weights, byPlace: own.slice(SCALARS), weighted: own[SCALARS - 1] };
  });
}

function addScalars(
  { from, to, first }: UserRun,
  counts: Float64Array,
  weights: Float64Array,
  into: Float64Array,
): void {
  for (let u = first + from; u < first + to; u++) {
    for (const [c, value] of [counts[u], weights[u]].entries()) {
      if (value > 0) into[3 * c]++;
      into[3 * c + 1] += value;
      into[3 * c + 2] += value * value;
    }
    if (weights[u] > 0) into[SCALARS - 1] += counts[u];
  }
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
    let n = 0;
    let sum = 0;
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
    let n = 0;
    let sum = 0;
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
