import type { UnpredictedPart } from '../../estimators/evidence/bounds.js';
import {
  type PredictionMetric,
  type RatingMeasureContext,
  ratingMetricOf,
} from '../../estimators/metrics/rating-metrics.js';
import { LEADING } from '../../estimators/names.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { measuredSums, type RatingWindow } from './measured-sums.js';
import { PREDICTED, type RatingMeasure } from './rating-measures.js';
import type { RatingOptions } from './rating-options.js';
import type { CommonPairs } from './rating-report.js';
import type { WeighedPart } from './weighed-part.js';

/** Columns of the scores of the part that is made of two models. */
const BOTH = 0;
const OWN = 1;
const OTHER = 2;

/**
 * Compares a model with the reference where one of them did not predict every rated pair, by snips:
 * their own means would be of different pairs, so that who predicts only what is easy would look good.
 *
 * Over the pairs that both predicted it is D = Σw(δ_m − δ_n) / Σw, with the error of any snips. A δ that
 * is missing lies between 0 and the most that the scale allows, max(δ(Y, lowest), δ(Y, highest)); so a
 * pair that only m predicted adds δ_m − that most at least and δ_m at most, one that only n predicted
 * −δ_n at least. Pairs that neither predicted say nothing.
 * Source: bounds without assumptions, Manski 1990. O(rows).
 *
 * @param models places of the model and of the reference.
 * @returns undefined without a pair that both predicted, and for the root of a mean, which is no sum.
 */
export function* commonPairs(
  window: RatingWindow,
  models: readonly [own: number, other: number],
  name: string,
  { decides, scale, smoothing }: Pick<RatingOptions, 'decides' | 'scale' | 'smoothing'>,
  rounds: Rounds,
): Generator<void, CommonPairs | undefined> {
  const metric = ratingMetricOf(decides!.metric);
  if (metric.kind !== 'prediction' || metric.isRoot) return undefined;
  const context = { scale, items: window.items, k: Number.POSITIVE_INFINITY };
  const parts: WeighedPart[] = [];
  for (const part of window.parts) {
    parts.push(ofTwo(part, models));
    yield;
  }
  const measure = differenceOf(metric, decides!.metric, context);
  const asked = { estimators: [LEADING], smoothing } as const;
  const [found] = yield* measuredSums(
    { ...window, parts, models: 1, reference: -1 },
    [measure],
    asked,
    rounds,
  );
  if (!(found.sum.rows > 0)) return undefined;
  const { value, stdErr, ess } = found.estimate([name], 'pooled');
  const unpredicted = yield* unpredictedIn(parts, metric, context, rounds);
  return {
    model: name,
    common: { value, stdErr, freedom: Math.max(1, ess - 1) },
    ess,
    unpredicted,
  };
}

function ofTwo(weighed: WeighedPart, [own, other]: readonly [number, number]): WeighedPart {
  const { part } = weighed;
  const a = part.scores[own];
  const b = part.scores[other];
  return { ...weighed, part: { ...part, scores: [a.map((score, r) => score + b[r]), a, b] } };
}

/** δ of the one minus δ of the other, of rows that both predicted. */
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
    fill(deltas, { part: { rating, scores }, place }, _, from, to) {
      if (ofOther.length < to - from) ofOther = new Float64Array(to - from);
      metric.fill(deltas, { rating, place }, scores[OWN], from, to, context);
      metric.fill(ofOther, { rating, place }, scores[OTHER], from, to, context);
      for (let r = 0; r < to - from; r++) deltas[r] -= ofOther[r];
    },
  };
}

/** Σw of rows that both predicted and of those that one did, and the least and most that these add. */
function* unpredictedIn(
  parts: readonly WeighedPart[],
  metric: PredictionMetric,
  context: RatingMeasureContext,
  rounds: Rounds,
): Generator<void, UnpredictedPart> {
  const { lowest, highest } = context.scale;
  const largest = (rating: number) =>
    Math.max(...[lowest, highest].map((end) => metric.delta(rating, end, context)));
  const most = Number.isFinite(metric.most) ? () => metric.most : largest;
  const { values } = yield* rounds.gather(new NumberSums(4), parts, function* add(sums, own) {
    const { part, weight } = own;
    for (let r = 0; r < weight.length; r++) {
      const rating = part.rating[r];
      const a = part.scores[OWN][r];
      const b = part.scores[OTHER][r];
      const isOwn = !Number.isNaN(a);
      if (part.isRandom[r] === 1 || (!isOwn && Number.isNaN(b))) continue;
      if (!Number.isNaN(part.scores[BOTH][r])) {
        sums.values[0] += weight[r];
        continue;
      }
      const delta = metric.delta(rating, isOwn ? a : b, context);
      sums.values[1] += weight[r];
      sums.values[2] += weight[r] * (isOwn ? delta - most(rating) : -delta);
      sums.values[3] += weight[r] * (isOwn ? delta : most(rating) - delta);
    }
    yield;
  });
  const [share, least, greatest] = [1, 2, 3].map((n) => values[n] / (values[0] + values[1]));
  return { share, least, most: greatest };
}
