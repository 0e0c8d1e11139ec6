/** This file has the thresholds of findings, which are the same for all outputs. */

/** Number of effective users below which nothing should be decided on an estimate. */
export { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';

/**
 * Distance, in standard errors, at which two numbers clearly differ. Chance exceeds it once in 370
 * times.
 */
export const CLEARLY_APART = 3;
export { SOURCES_APART } from '../../estimators/propensity/gamma-error.js';

/** Standard error above which a fitted γ is uncertain. */
export const UNCERTAIN_GAMMA = 0.25;

/**
 * Number of positive interactions per user-item pair above which the fit of an exponent to counts
 * is biased: at 1.25 by 0.07 for an exponent of 1.5, at 2 by 0.15, each towards the middle.
 */
export const POSITIVES_A_PAIR = 1.2;

/**
 * Fraction of events that are late or duplicate (for states also rejected) above which they are a
 * caution. The alert `UnskewEventsNotCounted` uses it too.
 */
export const UNCOUNTED_SHARE = 0.05;
/** Fraction of users or pairs above which findings about them are reported. */
export const NOTABLE_SHARE = 0.05;
/**
 * Fraction of users in several partitions above which they are reported, and the minimum number of
 * such users. The alert `UnskewUsersSplit` uses both too.
 */
export const SPLIT_SHARE = 0.01;
export const FEW_SPLIT = 5;
/** Fraction of users with a single event from which a mean over users is hardly corrected. */
export const MANY_SINGLE = 0.5;
/**
 * Number of effective rows of the median user below which weighted means over users are only partly
 * corrected.
 */
export const FEW_OF_USER = 5;
/**
 * Fraction of the weight on items counted once above which similar items that were never seen may
 * matter.
 */
export const MUCH_COUNTED_ONCE = 0.2;
/**
 * Fraction of the weight on items without any gain above which a model is reported to gain on
 * popular items only.
 */
export const MUCH_UNREACHED = 0.2;
/**
 * Expected gain from which no gain at all is unlikely to be chance: its probability is e⁻⁵ = 0.007.
 */
export const EXPECTED_GAIN = 5;
/** Fraction of the weight above which a single event has too much influence. */
export const HEAVY_EVENT = 0.1;
/** Fraction of invalid events above which the numbers need caution. */
export const FAULTY_SHARE = 0.01;

/**
 * Total variation distance between a drawn sample and its weights above which the sample counts as
 * only partly debiased.
 */
export const FAR_FROM_WEIGHTS = 0.1;
/** Number of rows below which a test set is too small. */
export const FEW_ROWS = 100;
/**
 * Fraction of the weight above which a single row of a test set has too much: a row is drawn at
 * most once, so it cannot get its full weight.
 */
export const HEAVY_ROW = 0.01;
/** Fraction of interactions that repeat a user-item pair above which they are reported. */
export const MANY_REPEATED = 0.5;

/** Change of a Gini index below which popularity bias counts as steady. */
export const NOTABLE_GINI = 0.01;
/** Minimum number of ticks for a trend. */
export const LEAST_TICKS = 10;

/**
 * Relative deviation of Σ 1 / P from the number of pairs above which propensities are reported as
 * wrongly scaled.
 */
export const OFF_PAIRS = 0.05;
/**
 * Age of learned propensities, in days, from which they count as stale. The alert
 * `UnskewPropensitiesStale` uses it too.
 */
export const STALE_PROPENSITIES_DAYS = 30;
/**
 * Fraction of the ratings that moved between margins, in excess of chance, above which the margins
 * count as drifted. The alert uses it too.
 */
export const DRIFTED_MARGINS = 0.1;
/**
 * Difference between ΣP and the number of ratings of an item or user above which it is reported,
 * relative to the mean number of ratings of items or users.
 */
export const OFF_MARGIN = 0.2;
