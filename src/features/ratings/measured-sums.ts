import { LEADING } from '../../estimators/names.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { Denominators } from '../../estimators/uncertainty/moments.js';
import { DeltaSums } from './delta-sums.js';
import { MeasuredSum, SQUARES } from './measured-sum.js';
import type { RatingMeasure } from './rating-measures.js';
import type { RatingOptions } from './rating-options.js';
import { type Influences, RatingSum, type RatingUsers } from './rating-sum.js';
import type { RatingCounts, RatingWeights } from './rating-weights.js';
import { type TakenRows, takenRows } from './taken-rows.js';
import { chosenRatings, longestOf, type RatingRuns, type UserRun, userRuns } from './user-runs.js';
import type { WeighedPart } from './weighed-part.js';

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
 *
 * @param rounds bring the sums of all partitions together: two rounds for each δ and model.
 */
export function* measuredSums(
  window: RatingWindow,
  measures: readonly RatingMeasure[],
  asked: Pick<RatingOptions, 'estimators' | 'smoothing'>,
  rounds: Rounds,
): Generator<void, MeasuredSum[]> {
  const { models, reference, counts } = window;
  const runs = userRuns(window.parts);
  const users = yield* usersOf(runs.all, window.items, counts.users);
  const pass = new MeasurePass(window, measures, asked, runs, users, rounds);
  const order = Array.from({ length: models }, (_, m) => m);
  order.sort((a, b) => Number(b === reference) - Number(a === reference));
  for (const kind of new Set(measures.map(({ rows }) => rows))) {
    const taken = yield* takenRows(runs, models, kind, counts.chosen.length, rounds);
    for (const [j, { rows, sameAs }] of measures.entries()) {
      if (rows !== kind || sameAs < j) continue;
      for (const m of order) yield* pass.measure(j, m, taken[m]);
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
  readonly #runs: RatingRuns;
  readonly #users: RatingUsers;
  readonly #rounds: Rounds;
  readonly #sums: DeltaSums;
  /** Of the model under way, and of the reference by estimator. */
  readonly #own: Influences;
  readonly #others: readonly Influences[];

  constructor(
    window: RatingWindow,
    measures: readonly RatingMeasure[],
    asked: Pick<RatingOptions, 'estimators' | 'smoothing'>,
    runs: RatingRuns,
    users: RatingUsers,
    rounds: Rounds,
  ) {
    const { length } = users.ratings;
    this.made = Array.from({ length: window.models }, () => measures.map(() => []));
    this.#window = window;
    this.#measures = measures;
    this.#asked = asked;
    this.#runs = runs;
    this.#users = users;
    this.#rounds = rounds;
    this.#sums = new DeltaSums(length, window.counts.chosen.length, longestOf(runs.all));
    this.#own = influencesOf(length);
    this.#others = asked.estimators.map(() => influencesOf(length));
  }

  /** Of the δ of measure j, and of all that have the same. */
  *measure(j: number, model: number, taken: TakenRows): Generator<void, void> {
    const { counts, weights, parts } = this.#window;
    const { estimators, smoothing } = this.#asked;
    const isMoved = weights.byPlace !== undefined && estimators.includes(LEADING);
    const ofUsers = isMoved ? taken.weights.values : undefined;
    const deltas = this.#sums;
    const made = estimators.map((estimator) => {
      return new RatingSum(estimator, deltas, taken, this.#users, weights);
    });
    const places = counts.chosen.length;
    const none = new NumberSums(1 + 2 * places + 2 * made.length);
    const runsOf = this.#runs.of;
    const measure = this.#measures[j];
    const { values } = yield* this.#rounds.gather(none, parts, function* add(sums, part) {
      const runs = runsOf(part);
      yield* deltas.sum(runs, measure, model, ofUsers);
      sums.values[0] = deltas.excess;
      sums.values.set(deltas.byPlace, 1);
      sums.values.set(deltas.apartByPlace, 1 + places);
      for (const [e, sum] of made.entries()) {
        sums.values.set(sum.sumsOf(runs), 1 + 2 * (places + e));
      }
    });
    for (const [e, sum] of made.entries()) {
      const [numerator, means] = values.subarray(1 + 2 * (places + e));
      const byPlace = values.subarray(1, 1 + places);
      const apartByPlace = values.subarray(1 + places, 1 + 2 * places);
      const merged = { excess: values[0], byPlace, apartByPlace, numerator, means };
      sum.settle(merged, counts, smoothing);
    }
    yield* this.#look(made, j, model);
  }

  /** What each user moves the values by, and their differences from the reference. */
  *#look(sums: readonly RatingSum[], j: number, model: number): Generator<void, void> {
    const { reference, parts } = this.#window;
    const isReference = model === reference;
    const measured = sums.map((sum, e) => this.#measuredBy(sum, j, model, e));
    const size = SQUARES * (measured[0]?.length ?? 0);
    const none = new NumberSums(size * sums.length);
    const runsOf = this.#runs.of;
    const ofOwn = this.#own;
    const others = this.#others;
    const { values } = yield* this.#rounds.gather(none, parts, function* add(squares, part) {
      for (const [e, sum] of sums.entries()) {
        const own = isReference ? others[e] : ofOwn;
        for (const run of runsOf(part)) {
          sum.influence(run, own);
          const from = run.first + run.from;
          const to = run.first + run.to;
          for (const [n, each] of measured[e].entries()) {
            const into = squares.values.subarray(size * e + SQUARES * n);
            each.addSquares(own, others[e], from, to, into);
          }
          yield;
        }
      }
    });
    for (const [e, all] of measured.entries()) {
      for (const [n, each] of all.entries()) each.settle(values.subarray(size * e + SQUARES * n));
    }
  }

  /** The measures of a δ by one estimator. */
  #measuredBy(sum: RatingSum, j: number, model: number, e: number): MeasuredSum[] {
    const { reference } = this.#window;
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

/** @param raters users of all partitions who chose to rate. */
function* usersOf(
  runs: readonly UserRun[],
  items: number,
  raters: number,
): Generator<void, RatingUsers> {
  const ratings = yield* chosenRatings(runs);
  const catalogues = new Denominators(ratings.length);
  for (let u = 0; u < ratings.length; u++) catalogues.values[u] = ratings[u] > 0 ? items : 0;
  catalogues.users = ratings.length;
  catalogues.weighted = items > 0 ? raters : 0;
  catalogues.sum = raters * items;
  catalogues.squares = raters * items * items;
  return { ratings, catalogues };
}

function influencesOf(users: number): Influences {
  return { pooled: new Float64Array(users), user: new Float64Array(users) };
}
