import { lookVerdict, withUncorrected } from '../../decision/look-verdict.js';
import type { NoVerdictReason, PairVerdict } from '../../decision/pair-verdict.js';
import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import { type RatingMetric, ratingMetricOf } from '../../gains/rating-metrics.js';
import type { RatingDifference, RatingsReport } from './rating-report.js';

/** What is looked at once, and by what. */
export interface RatingLook {
  readonly from: number;
  readonly to: number;
  readonly metric: { readonly metric: RatingMetric; readonly k: number | null };
  /** Model that the others are compared with. */
  readonly reference: string;
}

/**
 * Verdicts on the models that predict ratings, each against the reference, in a window that nobody
 * looks at again.
 *
 * One is preferred if the 95 % interval of the difference of snips over all events is clear of 0: of
 * errors the lower one is better. The interval is clustered by user, so it is what users drawn again
 * would say, and it has the error of propensities by the rating. The plain difference never decides:
 * users rate what they like, so it is of liked items, and may name the wrong model (Schnabel et al.
 * 2016, section 3). Nor is there a verdict where one of a pair did not predict all rated pairs, since
 * the two errors would be those of different pairs. O(differences).
 *
 * @returns none for models without an estimate by the metric.
 * @example
 * const counts = { rated: 0, random: 0, users: 0, offScale: 0 };
 * const propensity = { source: 'nb', pairs: 0, weightShare: NaN, without: 0, byRating: [] };
 * const rest = { counts, propensity, refusals: [], estimates: [], differences: [], calibration: [] };
 * const metric = { metric: 'mse', k: null };
 * ratingLook({ ...rest, models: [] }, { from: 0, to: 1, metric, reference: 'a' }); // []
 */
export function ratingLook(ratings: RatingsReport, look: RatingLook): PairVerdict[] {
  const { metric, reference } = look;
  const estimated = ratings.models.filter((own) =>
    ratings.estimates.some((row) => row.model === own.model && row.metric === metric.metric),
  );
  const other = estimated.find(({ model }) => model === reference);
  if (other === undefined) return [];
  const { isError, kind } = ratingMetricOf(metric.metric);
  return estimated
    .filter((own) => own !== other)
    .map((own) => {
      const rowOf = (estimator: string) =>
        ratings.differences.find(
          (row) => isAsked(row, look) && row.model === own.model && row.estimator === estimator,
        );
      const found = rowOf(LEADING);
      const isPartial = kind === 'prediction' && own.unpredicted + other.unpredicted > 0;
      const objection: NoVerdictReason | null =
        found === undefined ? 'not_corrected' : isPartial ? 'unpredicted' : null;
      const row = found ?? { ...UNKNOWN, ...metric, model: own.model, reference };
      const verdict = lookVerdict(row, { ...look, objection, isError });
      const plain = rowOf(UNCORRECTED);
      return plain === undefined ? verdict : withUncorrected(verdict, plain);
    });
}

function isAsked(row: RatingDifference, { metric: { metric, k }, reference }: RatingLook): boolean {
  const isMetric = row.metric === metric && row.k === k;
  return isMetric && row.form === 'pooled' && row.reference === reference;
}

const { NaN: none } = Number;
const UNKNOWN = { value: none, stdErr: none, lower: none, upper: none, ess: none };
