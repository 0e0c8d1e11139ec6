import { LEADING } from '../../estimators/names.js';
import { Denominators } from '../../estimators/uncertainty/moments.js';
import { DeltaSums } from './delta-sums.js';
import { MeasuredSum } from './measured-sum.js';
import type { RatingMeasure } from './rating-measures.js';
import type { RatingEstimatorName } from './rating-options.js';
import { type Influences, RatingSum, type SummedRatings } from './rating-sum.js';
import type { RatingCounts, RatingWeights } from './rating-weights.js';
import { type TakenRows, takenRows } from './taken-rows.js';
import { chosenRatings, type UserRun, userRuns } from './user-runs.js';
import type { WeighedRatings } from './weighed-ratings.js';

/** The ratings, counts and weights of a window that all measures are computed from. */
export interface RatingWindow {
  readonly ratings: WeighedRatings;
  readonly counts: RatingCounts;
  readonly weights: RatingWeights;
  /** κ, count added to the randomised ratings of each value (additive smoothing). */
  readonly smoothing: number;
  /** Number I of items in the catalogue. */
  readonly items: number;
  /** Number of models. */
  readonly models: number;
  /** Index of the reference model; negative if there is none. */
  readonly reference: number;
}

/**
 * Compute an estimate for each model, measure and estimator, in this order.
 *
 * One δ and one model are processed at a time, the reference first. So memory holds the users' sums
 * and influences for only one model, and the users' influences for the reference, however many
 * measures there are.
 */
export function measuredSums(
  window: RatingWindow,
  measures: readonly RatingMeasure[],
  estimators: readonly RatingEstimatorName[],
): MeasuredSum[] {
  const { ratings, models, reference, counts } = window;
  const runs = userRuns(ratings.rated);
  const pass = new MeasurePass(measures, estimators, summedRatings(window, runs), window);
  const places = counts.chosen.length;
  const order = Array.from({ length: models }, (_, m) => m);
  order.sort((a, b) => Number(b === reference) - Number(a === reference));
  for (const kind of new Set(measures.map(({ rows }) => rows))) {
    const taken = Array.from({ length: models }, (_, model) =>
      takenRows(ratings, {
        model,
        kind,
        places,
      }),
    );
    for (const [j, { rows, sameAs }] of measures.entries()) {
      if (rows !== kind || sameAs < j) continue;
      for (const m of order) {
        pass.measure(j, m, taken[m]);
      }
    }
  }
  return pass.made.flat(2);
}

function summedRatings(
  { ratings, counts, weights, smoothing, items }: RatingWindow,
  runs: readonly UserRun[],
): SummedRatings {
  const chosen = chosenRatings(ratings.rated);
  const catalogues = new Denominators(chosen.length);
  for (let u = 0; u < chosen.length; u++) {
    catalogues.values[u] = chosen[u] > 0 ? items : 0;
  }
  catalogues.users = chosen.length;
  catalogues.weighted = items > 0 ? counts.users : 0;
  catalogues.sum = counts.users * items;
  catalogues.squares = counts.users * items * items;
  return {
    ratings,
    runs,
    counts,
    weights,
    smoothing,
    chosen,
    catalogues,
  };
}

/** Computes estimates by passing over the rows for one δ and one model at a time. */
class MeasurePass {
  /** Estimates by model, measure and estimator. */
  readonly made: MeasuredSum[][][];
  readonly #measures: readonly RatingMeasure[];
  readonly #estimators: readonly RatingEstimatorName[];
  readonly #summed: SummedRatings;
  readonly #reference: number;
  readonly #deltas: DeltaSums;
  /** Influences of users on the current model. */
  readonly #own: Influences;
  /** Influences of users on the reference model, by estimator. */
  readonly #others: readonly Influences[];

  constructor(
    measures: readonly RatingMeasure[],
    estimators: readonly RatingEstimatorName[],
    summed: SummedRatings,
    { models, reference }: Pick<RatingWindow, 'models' | 'reference'>,
  ) {
    const { ratings, runs, counts, chosen } = summed;
    this.made = Array.from({ length: models }, () => measures.map(() => []));
    this.#measures = measures;
    this.#estimators = estimators;
    this.#summed = summed;
    this.#reference = reference;
    this.#deltas = new DeltaSums(ratings, runs, counts.chosen.length);
    this.#own = influencesOf(chosen.length);
    this.#others = estimators.map(() => influencesOf(chosen.length));
  }

  /** Sum the δ of measure j over a model's rows, for all measures that have the same δ. */
  measure(j: number, model: number, taken: TakenRows): void {
    const { weights } = this.#summed;
    const isMoved = weights.byPlace !== undefined && this.#estimators.includes(LEADING);
    const ofUsers = isMoved ? taken.weights.values : undefined;
    this.#deltas.sum(this.#measures[j], model, ofUsers);
    for (const [e, estimator] of this.#estimators.entries()) {
      const sum = new RatingSum(estimator, this.#deltas, taken, this.#summed);
      this.#addSquares(sum, e, this.#measuredBy(sum, j, model, e));
    }
  }

  /**
   * Add the squared influences of users on each value in `measured`, and on the difference of each
   * value from the reference.
   */
  #addSquares(sum: RatingSum, e: number, measured: readonly MeasuredSum[]): void {
    const other = this.#others[e];
    const isReference = measured[0]?.model === this.#reference;
    const own = isReference ? other : this.#own;
    for (const run of this.#summed.runs) {
      sum.influence(run, own);
      for (const each of measured) {
        each.addSquares(run, own, other);
      }
    }
  }

  /** Create the estimates of all measures that have the δ of measure j, for one estimator. */
  #measuredBy(sum: RatingSum, j: number, model: number, e: number): MeasuredSum[] {
    const reference = this.#reference;
    const measured: MeasuredSum[] = [];
    for (const [i, measure] of this.#measures.entries()) {
      if (measure.sameAs !== j) continue;
      const other = model === reference ? undefined : this.made[reference]?.[i]?.[e];
      const made = new MeasuredSum(model, measure, sum, other);
      this.made[model][i][e] = made;
      measured.push(made);
    }
    return measured;
  }
}

function influencesOf(users: number): Influences {
  return {
    pooled: new Float64Array(users),
    user: new Float64Array(users),
  };
}
