import { ABSOLUTE, LEADING, UNCORRECTED } from '../../estimators/names.js';
import { AGGREGATIONS } from '../../estimators/rules/weighting-rule.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import { ratingCalibration } from './calibration.js';
import { commonPairs } from './common-pairs.js';
import type { MeasuredSum } from './measured-sum.js';
import { measuredSums } from './measured-sums.js';
import { ratingMeasures } from './rating-measures.js';
import type { RatingEstimatorName, RatingOptions } from './rating-options.js';
import type {
  CalibrationBin,
  CommonPairs,
  PropensityFileReport,
  RatingsReport,
} from './rating-report.js';
import {
  propensityRows,
  type RatingCounts,
  type RatingWeights,
  ratingCounts,
  ratingWeights,
} from './rating-weights.js';
import { type WeighedRatings, weighedRatings } from './weighed-ratings.js';

type RatingRefusal = RatingsReport['refusals'][number];

const LACKING = {
  nb: 'propensity',
  logged: 'logged propensity',
  file: 'propensity in the file',
};
const NONE = {
  nb: 'needs propensities, and no rated pair has one',
  logged: 'needs logged propensities, and no rated pair has one',
  file: 'needs propensities, and the file covers no rated pair',
};

/** Estimators that have no value in a window, with reasons. */
function ratingRefusals(
  { estimators, isCatalogueKnown, propensity }: RatingOptions,
  { refused }: RatingWeights,
  {
    rated,
    without,
  }: {
    readonly rated: number;
    readonly without: number;
  },
): RatingRefusal[] {
  if (rated === 0) return [];
  const none = refused ?? (without === rated ? NONE[propensity] : undefined);
  return estimators.flatMap((estimator): RatingRefusal[] => {
    if (estimator === UNCORRECTED) return [];
    if (none !== undefined) {
      return [
        {
          estimator,
          reason: none,
        },
      ];
    }
    if (estimator !== ABSOLUTE) return [];
    if (!isCatalogueKnown) {
      return [
        {
          estimator,
          reason: 'needs the number of all pairs of users and items: set catalogue.size',
        },
      ];
    }
    return without > 0
      ? [
          {
            estimator,
            reason: `needs a ${LACKING[propensity]} of every rated pair, and ${without} have none`,
          },
        ]
      : [];
  });
}

function isGiven(refusals: readonly RatingRefusal[], name: RatingEstimatorName): boolean {
  return !refusals.some(({ estimator, model }) => estimator === name && model === undefined);
}

/** The models, catalogue and options for which the rating metrics of a window are computed. */
export interface RatingsAsked {
  /** Names of the models, in the order of the columns of ratings. */
  readonly models: readonly string[];
  /** Number I of items in the catalogue. */
  readonly items: number;
  readonly options: RatingOptions;
  /** Facts about the propensities file; only if propensities come from a file. */
  readonly file?: PropensityFileReport | undefined;
}

/**
 * Estimate the rating metrics of a window for all models.
 *
 * R = Σ_u N_u / Σ_u D_u over users u, for every model, measure and estimator (rating-sum.ts). The
 * metric defines δ, the error of a prediction or the gain of a rank
 * (estimators/metrics/rating-metrics.ts). 1 / P comes from the rating value, the log or a file
 * (rating-weights.ts). Errors leave out pairs without a prediction and count them. Source: Schnabel
 * et al. 2016, eqs. 5, 10, 11 and 18. O(rows · models · measures).
 *
 * @returns estimates ordered by model, metric, estimator, aggregation; none for a model that
 * predicted or listed no rated pair, and none without rated pairs.
 */
export function estimateRatings(
  rated: RatedPart,
  { models, items, options, file }: RatingsAsked,
): RatingsReport {
  const counts = ratingCounts(rated, options.scale);
  const weights = ratingWeights(counts, items, options);
  const ratings = weighedRatings(rated, weights, options.scale);
  const known = pairsOf(ratings, weights);
  const refusals = ratingRefusals(options, weights, known);
  const estimators = options.estimators.filter((name) => isGiven(refusals, name));
  const measures = ratingMeasures(options, items);
  const { smoothing } = options;
  const reference = referenceOf(models, options.reference);
  const window = {
    ratings,
    counts,
    weights,
    smoothing,
    items,
    models: models.length,
    reference,
  };
  const sums = measuredSums(window, measures, estimators);
  const partly: RatingRefusal[] = [];
  const given = sums.filter((sum) => isWhole(sum, known.rated, models, partly));
  const bins = ratingCalibration(ratings, models, options.scale);
  const predicted = models.map((model) => predictedOf(model, bins, known.rated));
  const common: CommonPairs[] = [];
  if (options.decides !== undefined && estimators.includes(LEADING)) {
    const ofReference = predicted[reference]?.unpredicted ?? Number.NaN;
    for (const [m, { unpredicted }] of predicted.entries()) {
      if (m === reference || !(unpredicted + ofReference > 0)) continue;
      const pair = [m, reference] as const;
      const found = commonPairs(window, pair, models[m], options);
      if (found !== undefined) {
        common.push(found);
      }
    }
  }
  return {
    estimates: given.flatMap((sum) =>
      formsOf(sum).map((aggregation) => sum.estimate(models, aggregation)),
    ),
    differences: given.flatMap((sum) => {
      const { reference: other } = sum;
      if (other === undefined || !given.includes(other)) return [];
      return formsOf(sum).map((aggregation) => sum.difference(other, models, aggregation));
    }),
    calibration: bins,
    models: models.map((model, m) => ({
      model,
      ...predicted[m],
    })),
    common,
    counts: {
      ...totals(counts),
      users: counts.users,
      offScale: counts.offScale,
    },
    propensity: {
      source: options.propensity,
      pairs: weights.pairs,
      without: known.without,
      ...(file && { file }),
      weightShare: known.weight > 0 ? known.weight / weights.pairs : Number.NaN,
      byRating: propensityRows(counts, weights, options),
    },
    refusals: [...refusals, ...partly],
  };
}

/**
 * Counts of the pairs that users chose to rate. `rated`: all of them; `without`: those without a
 * propensity; `weight`: the sum of the weights of all of them.
 */
function pairsOf({ rated: { isRandom }, weight }: WeighedRatings, { refused }: RatingWeights) {
  let rated = 0;
  let without = 0;
  let sum = 0;
  for (let r = 0; r < weight.length; r++) {
    if (isRandom[r] === 1) continue;
    rated++;
    if (weight[r] === 0) {
      without++;
    }
    sum += weight[r];
  }
  return {
    rated,
    without: refused === undefined ? without : rated,
    weight: sum,
  };
}

/** Index of the reference model: the first by default, −1 if the configured model is missing. */
function referenceOf(models: readonly string[], name: string | undefined): number {
  return name === undefined ? 0 : models.indexOf(name);
}

/**
 * Whether the sum of a model and estimator gives an estimate. ips gives none if some rated pair has
 * no prediction, since the pair would count as an error of 0.
 */
function isWhole(
  { model, sum }: MeasuredSum,
  rated: number,
  models: readonly string[],
  refusals: RatingRefusal[],
): boolean {
  if (sum.users === 0 || sum.rows === 0) return false;
  if (sum.estimator !== ABSOLUTE || sum.rows === rated) return true;
  const reason = 'needs a prediction of every rated pair, and some have none';
  if (!refusals.some((refusal) => refusal.model === models[model])) {
    refusals.push({
      estimator: ABSOLUTE,
      model: models[model],
      reason,
    });
  }
  return false;
}

function formsOf({ sum }: MeasuredSum) {
  return sum.estimator === ABSOLUTE ? (['pooled'] as const) : AGGREGATIONS;
}

/**
 * Numbers of rated pairs with and without a prediction of the model, counted from its calibration
 * bins.
 */
function predictedOf(model: string, bins: readonly CalibrationBin[], rated: number) {
  const own = bins.filter((bin) => bin.model === model);
  const predicted = own.reduce((sum, { rows }) => sum + rows, 0);
  return {
    predicted,
    unpredicted: rated - predicted,
  };
}

function totals({ chosen, random }: RatingCounts) {
  const sum = (counts: Float64Array) => counts.reduce((total, count) => total + count, 0);
  return {
    rated: sum(chosen),
    random: sum(random),
  };
}
