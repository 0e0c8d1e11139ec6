import type { Measured } from '../../estimators/evidence/anchored-rule.js';
import { type RatingMetric, ratingMetricOf } from '../../estimators/metrics/rating-metrics.js';
import { type EstimatorName, LEADING, UNCORRECTED } from '../../estimators/names.js';
import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import { taken } from '../../state/panes/row-causes.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { PairEvidence } from '../evidence.js';
import { type LevelReading, tooFewUsers, type Watched, weightOf } from '../reading.js';
import type { FeatureWork } from '../work.js';
import { estimateRatings } from './estimate-ratings.js';
import { fileRatings, ItemsOfFile } from './file-propensities.js';
import type { RatingDifference, RatingRow, RatingsReport } from './rating-report.js';

/** A window that is evaluated once, with the metric and the reference model. */
export interface RatingLook {
  readonly from: number;
  readonly to: number;
  readonly metric: {
    readonly metric: RatingMetric;
    readonly k: number | null;
  };
  /** Model that the others are compared with. */
  readonly reference: string;
}

/**
 * Evidence from rating metrics on each model against the reference, in a window that is evaluated
 * once.
 *
 * Uses the difference of snips over all events; for error metrics, lower is better. Its standard
 * error is clustered by user, and includes the error of propensities by rating value. The
 * uncorrected difference never decides: users rate what they like, so it measures mostly liked
 * items and may prefer the wrong model (Schnabel et al. 2016, section 3). O(differences).
 *
 * @returns no evidence for models without an estimate of the metric.
 */
export function ratingEvidence(ratings: RatingsReport, look: RatingLook): PairEvidence[] {
  const { metric: measure, reference } = look;
  const estimated = ratings.models.filter((own) =>
    ratings.estimates.some((row) => row.model === own.model && row.metric === measure.metric),
  );
  const other = estimated.find(({ model }) => model === reference);
  if (other === undefined) return [];
  const { isError, kind } = ratingMetricOf(measure.metric);
  return estimated
    .filter((own) => own !== other)
    .map(({ model, unpredicted }): PairEvidence => {
      const rowOf = (estimator: string) =>
        ratings.differences.find(
          (row) => isAsked(row, look) && row.model === model && row.estimator === estimator,
        );
      const found = rowOf(LEADING);
      const plain = rowOf(UNCORRECTED);
      const isPartial = kind === 'prediction' && unpredicted + other.unpredicted > 0;
      const pairs = isPartial ? ratings.common?.find((own) => own.model === model) : undefined;
      const ess = (pairs ?? found)?.ess ?? Number.NaN;
      const isLacking = isPartial && pairs === undefined;
      const reason = found === undefined ? 'not_corrected' : isLacking ? 'unpredicted' : ofFew(ess);
      return {
        rung: 'metric',
        model,
        reference,
        measure,
        isError,
        ess,
        objection: reason && {
          reason,
          figures: { users: ess },
        },
        anchor: pairs?.common ?? measured(found),
        // The uncorrected means of the two models are over different pairs.
        ...(plain && !isPartial && { uncorrected: measured(plain) }),
        ...(pairs && { unpredicted: pairs.unpredicted }),
      };
    });
}

function ofFew(ess: number): 'few_users' | null {
  return ess >= FEW_USERS ? null : 'few_users';
}

function measured(row: RatingDifference | undefined): Measured {
  const { value = Number.NaN, stdErr = Number.NaN, ess = Number.NaN } = row ?? {};
  return {
    value,
    stdErr,
    freedom: Math.max(1, ess - 1),
  };
}

function isAsked(row: RatingDifference, { metric: { metric, k }, reference }: RatingLook): boolean {
  const isMetric = row.metric === metric && row.k === k;
  return isMetric && row.form === 'pooled' && row.reference === reference;
}

/**
 * The propensities file as read at the start of a tick. All windows of the tick use this version,
 * even if the file changes meanwhile.
 */
type Tick = ItemsOfFile | undefined;

/** The computation of rating metrics. */
export const RATINGS_WORK: FeatureWork<Tick> = {
  columns: ['rated'],
  isAsked: ({ ratings }) => ratings !== undefined,
  /**
   * The rating scale is part of the state, since it decides on arrival which values are ratings.
   */
  settings({ ratings }) {
    const { lowest, highest, step } = ratings!.scale;
    return {
      'ratings.lowest': lowest,
      'ratings.highest': highest,
      'ratings.step': step,
    };
  },
  begin({ options: { ratings }, ids: { items } }) {
    return ratings?.file && new ItemsOfFile(ratings.file.current(), (item) => items.text(item));
  },
  window(rows, { options: { ratings, isWholeLog = false } }, file) {
    const { whole, heavyFrom, models, catalogueSize: items, nameOf, window } = rows;
    const options = {
      ...ratings!,
      isCatalogueKnown: ratings!.isCatalogueKnown || isWholeLog,
    };
    const asked = {
      models,
      items,
      options,
    };
    const rated = ratingsOfLighterUsers(whole.rated!, heavyFrom);
    if (file === undefined) return { ratings: estimateRatings(rated, asked) };
    const { rated: weighed, report } = fileRatings(rated, file, nameOf!, window.to);
    return {
      ratings: estimateRatings(weighed, {
        ...asked,
        file: report,
      }),
    };
  },
  evidence({ windows: [{ from, to, ratings, drawnModels = [] }] }, { ratings: asked }) {
    const metric = asked?.decides;
    if (metric === undefined) return undefined;
    // The default reference is the first model, as for differences.
    const reference = asked?.reference ?? ratings?.models[0]?.model;
    if (ratings === undefined || reference === undefined) return [];
    // Models whose lists were all drawn at random are not candidates.
    return ratingEvidence(ratings, {
      from,
      to,
      metric,
      reference,
    }).filter(({ model }) => !drawnModels.includes(model));
  },
};

/**
 * The ratings of users who have fewer than `limit` interactions over the horizon. If all users have
 * fewer, the result is `rated` itself.
 */
function ratingsOfLighterUsers(rated: RatedPart, limit: number): RatedPart {
  const { users, start, userCount, learned } = rated;
  if (!userCount.some((count) => count >= limit)) return rated;
  const ends = [0];
  const kept: number[] = [];
  for (let u = 0; u < users; u++) {
    if (userCount[u] >= limit) continue;
    for (let r = start[u]; r < start[u + 1]; r++) {
      kept.push(r);
    }
    ends.push(kept.length);
  }
  const rows = Int32Array.from(kept);
  return {
    users: ends.length - 1,
    start: Int32Array.from(ends),
    offScale: rated.offScale,
    user: rated.user.filter((_, u) => userCount[u] < limit),
    userCount: userCount.filter((count) => count < limit),
    item: taken(rated.item, rows),
    rating: taken(rated.rating, rows),
    isRandom: taken(rated.isRandom, rows),
    propensity: taken(rated.propensity, rows),
    ...(learned && { learned: taken(learned, rows) }),
    ranks: rated.ranks.map((column) => taken(column, rows)),
    scores: rated.scores.map((column) => taken(column, rows)),
  };
}

/**
 * Readings for the change detectors: the monitored rating metric of each model, and the gap between
 * the uncorrected and the corrected value of that metric. The series of these readings are named
 * like those of estimates, since metric names are unique. The readings do not depend on γ.
 */
export function ratingReadings(
  { baseline }: Snapshot,
  { ratings }: WindowSnapshot,
  { ratings: watched, estimators, standardisation }: Watched,
): LevelReading[] {
  if (watched === undefined || ratings === undefined) return [];
  const { metric, k } = watched;
  const label = k === null ? metric : `${metric}@${k}`;
  const weight = weightOf(standardisation);
  const isWatched = (row: RatingRow) =>
    row.metric === metric &&
    row.k === k &&
    row.form === 'pooled' &&
    row.model !== baseline &&
    (estimators as readonly EstimatorName[]).includes(row.estimator);
  const rows = ratings.estimates.filter(
    (row) => isWatched(row) && Number.isFinite(row.value) && weight(row) > 0,
  );
  return rows.flatMap((row): LevelReading[] => {
    const { model, estimator, value } = row;
    const reading = (kind: string, of: number): LevelReading => ({
      kind: 'level',
      series: `${kind}/${estimator}/${label}/${model}`,
      model,
      value: of,
      weight: weight(row),
      reason: tooFewUsers(row),
      dependsOnVolume: false,
    });
    const plain = rows.find((own) => own.model === model && own.estimator === UNCORRECTED);
    const hasGap = plain !== undefined && plain !== row;
    return [reading('estimate', value), ...(hasGap ? [reading('gap', plain.value - value)] : [])];
  });
}
