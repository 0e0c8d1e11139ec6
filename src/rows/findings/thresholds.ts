/** Thresholds of findings, each defined once for all outputs. */

/** Effective users below which an estimate should decide nothing. */
export { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';

/**
 * Number of standard errors by which two numbers clearly differ; chance exceeds it once in 370
 * times.
 */
export const CLEARLY_APART = 3;
export { SOURCES_APART } from '../../estimators/propensity/gamma-error.js';

/** Standard error above which a fitted γ is uncertain. */
export const UNCERTAIN_GAMMA = 0.25;

/**
 * Positive interactions per pair above which the exponent fitted to counts is biased towards the
 * middle: at 1.25 by 0.07 for an exponent of 1.5, at 2 by 0.15.
 */
export const POSITIVES_A_PAIR = 1.2;

/**
 * Share of late and duplicate events among valid ones from which it is reported; the alert
 * `UnskewEventsNotCounted` uses it too.
 */
export const UNCOUNTED_SHARE = 0.05;
/** Share of users or pairs from which a finding about them is reported. */
export const NOTABLE_SHARE = 0.05;
/**
 * Share and number of users in several partitions that is not chance; the alert `UnskewUsersSplit`
 * uses them too.
 */
export const SPLIT_SHARE = 0.01;
export const FEW_SPLIT = 5;
/** Share of users with one event from which a mean over users is barely corrected. */
export const MANY_SINGLE = 0.5;
/** Effective rows of the median user below which a mean over users is partly naive, in any form. */
export const FEW_OF_USER = 5;
/**
 * Share of the weight on items counted once above which weights cannot correct for similar items
 * that were never seen.
 */
export const MUCH_COUNTED_ONCE = 0.2;
/** Share of the weight on items too rare for a model's lists above which it is reported. */
export const MUCH_UNREACHED = 0.2;
/** Expected gain from which no gain at all is not chance: its probability is e⁻⁵ = 0.007. */
export const EXPECTED_GAIN = 5;
/** Share of the weight above which a single event has too much influence. */
export const HEAVY_EVENT = 0.1;
/** Share of invalid events above which the numbers need caution. */
export const FAULTY_SHARE = 0.01;

/** Total variation distance from its weights above which a sample is only partly debiased. */
export const FAR_FROM_WEIGHTS = 0.1;
/** Rows below which a test set is too small. */
export const FEW_ROWS = 100;
/**
 * Share of the weight above which a single row of a test set has too much: it counts at most once
 * when drawn.
 */
export const HEAVY_ROW = 0.01;
/** Share of the interactions above which repeated pairs are reported. */
export const MANY_REPEATED = 0.5;

/** Change of a Gini index below which it counts as steady. */
export const NOTABLE_GINI = 0.01;
/** Fewest ticks for a trend. */
export const LEAST_TICKS = 10;

/** Relative deviation of Σ 1 / P from the number of pairs above which it is reported. */
export const OFF_PAIRS = 0.05;
/**
 * Age in days from which learned propensities are stale; the alert `UnskewPropensitiesStale` and
 * its test use it too.
 */
export const STALE_PROPENSITIES_DAYS = 30;
/**
 * Share of ratings that moved between margins, beyond chance, above which these have drifted; the
 * alert uses it too.
 */
export const DRIFTED_MARGINS = 0.1;
/**
 * Largest difference between ΣP and the ratings of an item or user, relative to the mean number of
 * ratings.
 */
export const OFF_MARGIN = 0.2;
