import type { UnpredictedPart } from '../../estimators/evidence/bounds.js';
import {
  type PredictionMetric,
  type RatingMeasureContext,
  ratingMetricOf,
} from '../../estimators/metrics/rating-metrics.js';
import { LEADING } from '../../estimators/names.js';
import { measuredSums, type RatingWindow } from './measured-sums.js';
import { PREDICTED, type RatingMeasure } from './rating-measures.js';
import type { RatingOptions } from './rating-options.js';
import type { CommonPairs } from './rating-report.js';
import type { WeighedRatings } from './weighed-ratings.js';

/** Index of the column of scores that is NaN unless both models of a pair predicted. */
const BOTH = 0;
/** Index of the column of the model's scores. */
const OWN = 1;
/** Index of the column of the reference's scores. */
const OTHER = 2;

/**
 * Compare a model with the reference by snips if one of them did not predict every rated pair.
 * Their own means would then be over different pairs, and would favour a model that predicts only
 * easy pairs.
 *
 * Over the pairs that both predicted, D = Σw(δ_m − δ_n) / Σw, with the errors δ of model m and
 * reference n, the weights w, and the standard error of snips. A missing δ lies between 0 and the
 * largest error that the scale allows, max(δ(Y, lowest), δ(Y, highest)). So a pair that only m
 * predicted adds between δ_m − max and δ_m, and a pair that only n predicted adds between −δ_n and
 * max − δ_n. Pairs that neither predicted are left out. Source: bounds without assumptions, Manski
 * 1990. O(rows).
 *
 * @param models indices of the model and of the reference. @returns undefined if no pair has a
 * prediction of both, for the root of a mean, which is not a sum, and for metrics of ranks.
 */
export function commonPairs(
  window: RatingWindow,
  models: readonly [own: number, other: number],
  name: string,
  { decides, scale }: Pick<RatingOptions, 'decides' | 'scale'>,
): CommonPairs | undefined {
  const metric = ratingMetricOf(decides!.metric);
  if (metric.kind !== 'prediction' || metric.isRoot) return undefined;
  const context = {
    scale,
    items: window.items,
    k: Number.POSITIVE_INFINITY,
  };
  const ratings = ofTwo(window.ratings, models);
  const measure = differenceOf(metric, decides!.metric, context);
  const both = {
    ...window,
    ratings,
    models: 1,
    reference: -1,
  };
  const [found] = measuredSums(both, [measure], [LEADING]);
  if (!(found.sum.rows > 0)) return undefined;
  const { value, stdErr, ess } = found.estimate([name], 'pooled');
  return {
    model: name,
    common: {
      value,
      stdErr,
      freedom: Math.max(1, ess - 1),
    },
    ess,
    unpredicted: unpredictedIn(ratings, metric, context),
  };
}

function ofTwo(ratings: WeighedRatings, [own, other]: readonly [number, number]): WeighedRatings {
  const { rated } = ratings;
  const a = rated.scores[own];
  const b = rated.scores[other];
  const both = a.map((score, r) => score + b[r]);
  return {
    ...ratings,
    rated: {
      ...rated,
      scores: [both, a, b],
    },
  };
}

/**
 * Measure of the difference between two models: its δ is the model's δ minus the reference's δ. It
 * uses the rows that both models predicted.
 */
function differenceOf(
  metric: PredictionMetric,
  name: RatingMeasure['metric'],
  context: RatingMeasureContext,
): RatingMeasure {
  let ofOther = new Float64Array(0);
  return {
    metric: name,
    k: null,
    rows: PREDICTED,
    isRoot: false,
    most: Number.POSITIVE_INFINITY,
    sameAs: 0,
    fill(deltas, { rated: { rating, scores }, place }, _, { from, to }) {
      if (ofOther.length < to - from) {
        ofOther = new Float64Array(to - from);
      }
      metric.fill(deltas, { rating, place }, scores[OWN], from, to, context);
      metric.fill(ofOther, { rating, place }, scores[OTHER], from, to, context);
      for (let r = 0; r < to - from; r++) {
        deltas[r] -= ofOther[r];
      }
    },
  };
}

/**
 * Bounds from the rows that only one of the two models predicted: the fraction of Σw that these
 * rows have, and the least and the most that they add to D.
 */
function unpredictedIn(
  { rated, weight }: WeighedRatings,
  metric: PredictionMetric,
  context: RatingMeasureContext,
): UnpredictedPart {
  const { lowest, highest } = context.scale;
  const largest = (rating: number) =>
    Math.max(...[lowest, highest].map((end) => metric.delta(rating, end, context)));
  const most = Number.isFinite(metric.most) ? () => metric.most : largest;
  let common = 0;
  let alone = 0;
  let least = 0;
  let greatest = 0;
  for (let r = 0; r < weight.length; r++) {
    const rating = rated.rating[r];
    const a = rated.scores[OWN][r];
    const b = rated.scores[OTHER][r];
    const isOwn = !Number.isNaN(a);
    if (rated.isRandom[r] === 1 || (!isOwn && Number.isNaN(b))) continue;
    if (!Number.isNaN(rated.scores[BOTH][r])) {
      common += weight[r];
      continue;
    }
    const delta = metric.delta(rating, isOwn ? a : b, context);
    alone += weight[r];
    least += weight[r] * (isOwn ? delta - most(rating) : -delta);
    greatest += weight[r] * (isOwn ? delta : most(rating) - delta);
  }
  const all = common + alone;
  return {
    share: alone / all,
    least: least / all,
    most: greatest / all,
  };
}
