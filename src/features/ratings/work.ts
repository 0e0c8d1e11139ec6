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

/** What is looked at once, and by what. */
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
 * What ratings say of each model against the reference, in a window that nobody looks at again.
 *
 * By the difference of snips over all events: of errors the lower one is better. Its error is clustered
 * by user, so it is what users drawn again would say, and it has that of propensities by the rating. The
 * plain difference never decides: users rate what they like, so it is of liked items, and may name the
 * wrong model (Schnabel et al. 2016, section 3). O(differences).
 *
 * @returns none for models without an estimate by the metric.
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
        // What each made of its own pairs is of different ones.
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

/** Learned propensities: the same for all windows of a tick, should their file change meanwhile. */
type Tick = ItemsOfFile | undefined;

/** Metrics of predicted ratings. */
export const RATINGS_WORK: FeatureWork<Tick> = {
  columns: ['rated'],
  isAsked: ({ ratings }) => ratings !== undefined,
  /** By the scale it is decided what is a rating when it comes. */
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
    // The first model, if nobody names one, as where differences are taken.
    const reference = asked?.reference ?? ratings?.models[0]?.model;
    if (ratings === undefined || reference === undefined) return [];
    // Lists that are drawn at random are nobody’s choice.
    return ratingEvidence(ratings, {
      from,
      to,
      metric,
      reference,
    }).filter(({ model }) => !drawnModels.includes(model));
  },
};

/**
 * The ratings of users who have fewer interactions over the horizon than a limit; the very same ones if
 * all have.
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
 * Each model's metric of ratings, and how far those who choose to rate flatter it: under the names
 * that estimates have, since no other metric has the same. γ has no part in them.
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
