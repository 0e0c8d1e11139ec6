import { LEADING } from '../../../names.js';
import { Denominators } from '../../../uncertainty/moments.js';
import type { RatingMeasure } from '../rating-measures.js';
import type { RatingOptions } from '../rating-options.js';
import type { RatingCounts, RatingWeights } from '../rating-weights.js';
import type { WeighedPart } from '../weighed-part.js';
import { DeltaSums } from './delta-sums.js';
import { MeasuredSum } from './measured-sum.js';
import { type Influences, RatingSum, type RatingUsers } from './rating-sum.js';
import { type TakenRows, takenRows } from './taken-rows.js';
import { chosenRatings, longestOf, type UserRun, userRuns } from './user-runs.js';

/** What all measures are summed over. */
export interface RatingWindow {
  readonly parts: readonly WeighedPart[];
  readonly counts: RatingCounts;
  readonly weights: RatingWeights;
  /** I, of the catalogue. */
  readonly items: number;
  readonly models: number;
  /** Place of the model that the others are compared with; none if it is below 0. */
  readonly reference: number;
}

/**
 * A sum for each model, measure and estimator, in this order, with all that is reported of it.
 *
 * One δ after the other, the reference first. So what is kept is the sums of one model’s users, what
 * they move a value by, and that of the reference, however many measures there are.
 */
export function* measuredSums(
  window: RatingWindow,
  measures: readonly RatingMeasure[],
  asked: Pick<RatingOptions, 'estimators' | 'smoothing'>,
): Generator<void, MeasuredSum[]> {
  const { models, reference } = window;
  const runs = userRuns(window.parts);
  const pass = new MeasurePass(window, measures, asked, runs, yield* usersOf(runs, window.items));
  const order = Array.from({ length: models }, (_, m) => m);
  order.sort((a, b) => Number(b === reference) - Number(a === reference));
  for (const kind of new Set(measures.map(({ rows }) => rows))) {
    const taken = new Map<number, TakenRows>();
    for (const m of order) {
      taken.set(m, yield* takenRows(runs, m, kind, window.counts.chosen.length));
    }
    for (const [j, { rows, sameAs }] of measures.entries()) {
      if (rows !== kind || sameAs < j) continue;
      for (const m of order) yield* pass.measure(j, m, taken.get(m)!);
    }
  }
  return pass.made.flat(2);
}

/** Goes through the rows of one δ and model at a time. */
class MeasurePass {
  /** By model, measure and estimator. */
  readonly made: MeasuredSum[][][];
  readonly #window: RatingWindow;
  readonly #measures: readonly RatingMeasure[];
  readonly #asked: Pick<RatingOptions, 'estimators' | 'smoothing'>;
  readonly #runs: readonly UserRun[];
  readonly #users: RatingUsers;
  readonly #sums: DeltaSums;
  /** Of the model under way, and of the reference by estimator. */
  readonly #own: Influences;
  readonly #others: readonly Influences[];

  constructor(
    window: RatingWindow,
    measures: readonly RatingMeasure[],
    asked: Pick<RatingOptions, 'estimators' | 'smoothing'>,
    runs: readonly UserRun[],
    users: RatingUsers,
  ) {
    const { length } = users.ratings;
    this.made = Array.from({ length: window.models }, () => measures.map(() => []));
    this.#window = window;
    this.#measures = measures;
    this.#asked = asked;
    this.#runs = runs;
    this.#users = users;
    this.#sums = new DeltaSums(length, window.counts.chosen.length, longestOf(runs));
    this.#own = influencesOf(length);
    this.#others = asked.estimators.map(() => influencesOf(length));
  }

  /** Of the δ of measure j, and of all that have the same. */
  *measure(j: number, model: number, taken: TakenRows): Generator<void, void> {
    const { counts, weights } = this.#window;
    const { estimators, smoothing } = this.#asked;
    const isMoved = weights.byPlace !== undefined && estimators.includes(LEADING);
    const ofUsers = isMoved ? taken.weights.values : undefined;
    yield* this.#sums.sum(this.#runs, this.#measures[j], model, ofUsers);
    for (const [e, estimator] of estimators.entries()) {
      const sum = new RatingSum(estimator, this.#sums, taken, this.#users, weights);
      for (const run of this.#runs) sum.add(run);
      sum.settle(counts, smoothing);
      yield* this.#look(sum, j, model, e);
    }
  }

  /** What each user moves the values by, and their differences from the reference. */
  *#look(sum: RatingSum, j: number, model: number, e: number): Generator<void, void> {
    const { reference } = this.#window;
    const isReference = model === reference;
    const own = isReference ? this.#others[e] : this.#own;
    const measured: MeasuredSum[] = [];
    for (const [i, measure] of this.#measures.entries()) {
      if (measure.sameAs !== j) continue;
      const other = isReference ? undefined : this.made[reference]?.[i]?.[e];
      const made = new MeasuredSum(model, measure, sum, other);
      this.made[model][i][e] = made;
      measured.push(made);
    }
    for (const run of this.#runs) {
      sum.influence(run, own);
      const [from, to] = [run.first + run.from, run.first + run.to];
      for (const each of measured) each.add(own, this.#others[e], from, to);
      yield;
    }
  }
}

function* usersOf(runs: readonly UserRun[], items: number): Generator<void, RatingUsers> {
  const ratings = yield* chosenRatings(runs);
  const catalogues = new Denominators(ratings.length);
  for (let u = 0; u < ratings.length; u++) catalogues.values[u] = ratings[u] > 0 ? items : 0;
  catalogues.settle(ratings.length);
  return { ratings, catalogues };
}

function influencesOf(users: number): Influences {
  return { pooled: new Float64Array(users), user: new Float64Array(users) };
}
