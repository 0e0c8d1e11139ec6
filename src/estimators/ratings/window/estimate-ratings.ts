import { ratingCount } from '../../../events/rating-scale.js';
import type { RatedPart } from '../../../state/panes/ratings/rated-part.js';
import { AGGREGATIONS } from '../../aggregations.js';
import { ABSOLUTE } from '../../names.js';
import { calibration } from './calibration.js';
import type { PropensityFileReport } from './file-report.js';
import { type MeasuredSum, measuredSums } from './measured-sums.js';
import { ratingMeasures } from './rating-measures.js';
import type { RatingOptions } from './rating-options.js';
import { isGiven, type RatingRefusal, ratingRefusals } from './rating-refusals.js';
import type { CalibrationBin, RatingsReport } from './rating-report.js';
import {
  propensityRows,
  type RatingCounts,
  type RatingWeights,
  ratingCounts,
  ratingWeights,
} from './rating-weights.js';
import { UserRatings } from './user-ratings.js';
import { type WeighedPart, weighedPart } from './weighed-part.js';

const SLICE_ROWS = 32_768;

/**
 * All that the ratings of a window say of the models that predicted them.
 *
 * R = Σ_u N_u / Σ_u D_u for every model, measure and estimator (rating-sum.ts), δ by the metric
 * (gains/rating-metrics.ts), 1 / P by the rating or by the log (rating-weights.ts). A pair without a
 * prediction is in no error and counted.
 * Source: Schnabel et al. 2016, eqs. 5, 10, 11 and 18. Two passes, O(rows · models · measures).
 *
 * @param parts disjoint users. @param items I, of the catalogue. @param models names, as the columns
 * of the parts. @param file what is known of the file of the propensities, where they come from one.
 * @returns estimates ordered by model, metric, estimator, aggregation; a model without a rated pair
 * that it predicted or listed has none. Without rated pairs there are no estimates at all.
 * @example
 * const scale = { lowest: 1, highest: 5, step: 1 };
 * const asked = { metrics: ['mae'], ks: [], estimators: ['naive'], scale, propensity: 'nb' };
 * const report = runAtOnce(estimateRatings([], 0, ['knn'], { ...asked, smoothing: 1 }));
 * report.estimates; // []
 */
export function* estimateRatings(
  parts: readonly RatedPart[],
  items: number,
  models: readonly string[],
  options: RatingOptions,
  file?: PropensityFileReport,
): Generator<void, RatingsReport> {
  const counts = yield* ratingCounts(parts, options);
  const weights = ratingWeights(counts, items, options);
  const weighed: WeighedPart[] = [];
  for (const part of parts) {
    weighed.push(weighedPart(part, weights, options));
    yield;
  }
  const known = pairsOf(weighed, weights);
  const refusals = ratingRefusals(options, weights, known);
  const estimators = options.estimators.filter((name) => isGiven(refusals, name));
  const measures = ratingMeasures(options, items);
  const sums = measuredSums(measures, models.length, items, weights, estimators);
  // The root of a mean has the sums of the mean.
  const means = [...new Set(sums.map(({ sum }) => sum))];
  const user = new UserRatings(measures, models.length, ratingCount(options.scale));
  // What moves with the counts of ratings by value is known after the first pass.
  const isByPlace = weights.byPlace !== undefined;
  for (const part of weighed) {
    yield* visit(part, user, isByPlace, () => {
      for (const sum of means) sum.add(user);
    });
  }
  for (const sum of means) sum.settle(counts, options.smoothing);
  for (const sum of sums) sum.settle();
  const reference = referenceOf(models, options.reference);
  const compared = sums.flatMap((sum) => {
    const other = sums.find((each) => each.model === reference && isSame(each, sum));
    return other === undefined || other === sum ? [] : [[sum, other] as const];
  });
  for (const part of weighed) {
    yield* visit(part, user, false, () => {
      for (const sum of sums) sum.look(user);
      for (const [sum, other] of compared) sum.compare(other);
    });
  }
  const partly: RatingRefusal[] = [];
  const given = sums.filter((sum) => isWhole(sum, known.rated, models, partly));
  const bins: CalibrationBin[] = [];
  for (const [m, name] of models.entries()) {
    bins.push(...(yield* calibration(weighed, m, name, options.scale)));
  }
  return {
    estimates: given.flatMap((sum) =>
      formsOf(sum).map((aggregation) => sum.estimate(models, aggregation)),
    ),
    differences: compared
      .filter((pair) => pair.every((sum) => given.includes(sum)))
      .flatMap(([sum, other]) =>
        formsOf(sum).map((aggregation) => sum.difference(other, models, aggregation)),
      ),
    calibration: bins,
    models: models.map((model) => ({ model, ...predictedOf(model, bins, known.rated) })),
    counts: { ...totals(counts), users: counts.users, offScale: counts.offScale },
    propensity: {
      ...{ source: options.propensity, pairs: weights.pairs, without: known.without },
      ...(file && { file }),
      weightShare: known.weight > 0 ? known.weight / weights.pairs : Number.NaN,
      byRating: propensityRows(counts, weights, options),
    },
    refusals: [...refusals, ...partly],
  };
}

/** Takes each user's sums. */
function* visit(
  part: WeighedPart,
  user: UserRatings,
  byPlace: boolean,
  visitor: () => void,
): Generator<void, void> {
  const { users, start } = part.part;
  let worked = 0;
  for (let s = 0; s < users; s++) {
    user.take(part, s, byPlace);
    visitor();
    worked += start[s + 1] - start[s];
    if (worked < SLICE_ROWS) continue;
    worked = 0;
    yield;
  }
  yield;
}

/** Rated pairs that users chose to rate, those of them without a propensity, and Σw. */
function pairsOf(parts: readonly WeighedPart[], { refused }: RatingWeights) {
  let [rated, without, sum] = [0, 0, 0];
  for (const { part, weight } of parts) {
    for (let r = 0; r < weight.length; r++) {
      if (part.isRandom[r] === 1) continue;
      rated++;
      if (weight[r] === 0) without++;
      sum += weight[r];
    }
  }
  return { rated, without: refused === undefined ? without : rated, weight: sum };
}

/** −1 if the configured one is not there. */
function referenceOf(models: readonly string[], name: string | undefined): number {
  return name === undefined ? 0 : models.indexOf(name);
}

function isSame(a: MeasuredSum, b: MeasuredSum): boolean {
  return a.measure === b.measure && a.sum.estimator === b.sum.estimator;
}

/** Whether there is a value; ips takes a pair that is missing for one without an error. */
function isWhole(
  { model, sum }: MeasuredSum,
  rated: number,
  models: readonly string[],
  refusals: RatingRefusal[],
): boolean {
  if (sum.users === 0 || sum.rows === 0) return false;
  if (sum.estimator !== ABSOLUTE || sum.rows === rated) return true;
  const reason = 'has rated pairs that the model did not predict, which would count as no error';
  if (!refusals.some((refusal) => refusal.model === models[model])) {
    refusals.push({ estimator: ABSOLUTE, model: models[model], reason });
  }
  return false;
}

function formsOf({ sum }: MeasuredSum) {
  return sum.estimator === ABSOLUTE ? (['pooled'] as const) : AGGREGATIONS;
}

/** Each rated pair with a prediction is in one bin. */
function predictedOf(model: string, bins: readonly CalibrationBin[], rated: number) {
  const own = bins.filter((bin) => bin.model === model);
  const predicted = own.reduce((sum, { rows }) => sum + rows, 0);
  return { predicted, unpredicted: rated - predicted };
}

function totals({ chosen, random }: RatingCounts) {
  const sum = (counts: Float64Array) => counts.reduce((total, count) => total + count, 0);
  return { rated: sum(chosen), random: sum(random) };
}
