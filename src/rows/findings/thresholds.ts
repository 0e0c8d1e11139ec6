/** This file has the thresholds of findings, which are the same for all outputs. */

/** Number of effective users below which nothing should be decided on an estimate. */
export { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';

/**
 * Two numbers clearly differ if they are more than this many standard errors apart. By chance, this
 * happens once in 370 comparisons.
 */
export const CLEARLY_APART = 3;
export { SOURCES_APART } from '../../estimators/propensity/gamma-error.js';

/** A fitted γ is reported as uncertain if its standard error is above this. */
export const UNCERTAIN_GAMMA = 0.25;

/**
 * Repeated interactions are reported if there are more positive interactions per user-item pair
 * than this. They bias the fit of an exponent to counts towards the middle: for an exponent of 1.5,
 * by 0.07 at 1.25 interactions per pair, and by 0.15 at 2.
 */
export const POSITIVES_A_PAIR = 1.2;

/**
 * Late and duplicate events are a caution if they are more than this fraction of all events. States
 * also count rejected events. The alert `UnskewEventsNotCounted` uses the same threshold.
 */
export const UNCOUNTED_SHARE = 0.05;
/**
 * Common threshold of findings about a fraction of users, lists, ratings or user-item pairs. A
 * larger fraction is reported, or makes the finding a caution instead of a note.
 */
export const NOTABLE_SHARE = 0.05;
/**
 * Users in several partitions are reported if they are more than this fraction of the sampled
 * users, and at least `FEW_SPLIT` users. The alert `UnskewUsersSplit` uses both thresholds too.
 */
export const SPLIT_SHARE = 0.01;
export const FEW_SPLIT = 5;
/**
 * If at least this fraction of a model's users have a single event, the finding about them is a
 * caution: a mean over such users is hardly corrected.
 */
export const MANY_SINGLE = 0.5;
/**
 * A weighted mean over users is reported as only partly corrected if the median user has fewer
 * effective rows than this.
 */
export const FEW_OF_USER = 5;
/**
 * Items with a count of one are reported if they have more than this fraction of the weight. Then
 * similar items that were never seen may matter.
 */
export const MUCH_COUNTED_ONCE = 0.2;
/**
 * A model is reported to gain on popular items only if more than this fraction of the weight is on
 * less popular items, and it has no gain on those.
 */
export const MUCH_UNREACHED = 0.2;
/**
 * A model without gain on less popular items is reported only if the expected gain there is at
 * least this. The probability of no gain by chance is then at most e⁻⁵ = 0.007.
 */
export const EXPECTED_GAIN = 5;
/**
 * A single event has too much influence on an estimate if it has more than this fraction of the
 * weight.
 */
export const HEAVY_EVENT = 0.1;
/**
 * The finding about invalid events is a caution if they are more than this fraction of all events.
 */
export const FAULTY_SHARE = 0.01;

/**
 * A drawn sample counts as only partly debiased if the total variation distance between it and its
 * weights is above this.
 */
export const FAR_FROM_WEIGHTS = 0.1;
/** Minimum number of rows of a test set; a smaller set is reported. */
export const FEW_ROWS = 100;
/**
 * A single row of a test set has too much weight if it has more than this fraction of the total. A
 * row is drawn at most once, so such a row cannot get its full weight.
 */
export const HEAVY_ROW = 0.01;
/**
 * Repetitions are reported if more than this fraction of the interactions in a test set repeat a
 * user-item pair.
 */
export const MANY_REPEATED = 0.5;

/** Popularity bias counts as steady if no Gini index has changed by at least this much. */
export const NOTABLE_GINI = 0.01;
/** Minimum number of ticks from which a trend is computed. */
export const LEAST_TICKS = 10;

/**
 * Propensities are reported as wrongly scaled if Σ 1 / P differs from the number of user-item pairs
 * by more than this fraction of that number.
 */
export const OFF_PAIRS = 0.05;
/**
 * Learned propensities are reported as stale if they are older than this, days. The alert
 * `UnskewPropensitiesStale` uses the same threshold.
 */
export const STALE_PROPENSITIES_DAYS = 30;
/**
 * Margins are the shares of ratings by item or by value. They count as drifted if their total
 * variation distance to the expected margins exceeds the distance that chance alone may cause by
 * more than this. The alert uses the same threshold.
 */
export const DRIFTED_MARGINS = 0.1;
/**
 * Propensities are reported if they do not sum to the number of ratings of each user and item. This
 * is the largest allowed difference, as a fraction of the mean number of ratings per user or item.
 */
export const OFF_MARGIN = 0.2;
