/** Share of complete requests below which no value is reported, since lost requests may differ. */
export const LEAST_COMPLETE = 0.95;
/**
 * Share of requests with pending rewards above which values carry a caution, since they are too
 * low.
 */
export const MOST_PENDING = 0.05;
/** p-value below which the split is a mismatch; a correct split falls below it in one of a thousand windows. */
export const LEAST_RATIO_P = 0.001;
/**
 * |z| of mean(C − T), see `balanceZ`, above which a model's lists are said to depend on the arm.
 */
export const MOST_BALANCE_Z = 3;
/**
 * |z| of the difference between two values of an arm, from the requests of all arms and from its
 * own. Above `DOUBTFUL_ARM_Z` values that are not on policy carry a caution; above `MOST_ARM_Z`
 * they are refused.
 */
export const DOUBTFUL_ARM_Z = 2;
export const MOST_ARM_Z = 3;
/**
 * Users are said to stop after a click if the ratio of observed to expected pairs of clicks in a
 * request is below this. The ratio is checked only if at least `LEAST_PAIRS` pairs are expected.
 */
export const LEAST_PAIR_RATIO = 0.8;
export const LEAST_PAIRS = 20;
/**
 * Reward per request up to which stopping after a click raises no caution. Requests then rarely
 * have two clicks, so it causes little bias.
 */
export const LEAST_PAIR_VALUE = 0.1;
/** Standard error of log θ above which values that use θ are refused. */
export const MOST_EXAMINATION_ERROR = 0.25;
/**
 * Coverage below which a value carries a caution, since served lists overlap with only a part of
 * the model's.
 */
export const WHOLE_COVERAGE = 0.95;
/** Coverage below which a value is reported as a lower bound only. */
export const LEAST_COVERAGE = 0.5;
/**
 * An estimate is refused if a single item row has more than this share of its weighted rewards, or
 * of its weights.
 */
export const MOST_ROW_SHARE = 0.1;
/** |z| of the mean weight's distance from 1 above which values are refused. */
export const MOST_WEIGHT_Z = 3;
/**
 * Values with shrunk weights are refused if their difference from values with original weights has
 * a |z| above this.
 */
export const MOST_SHRINKAGE_Z = 3;
/** Effective number of rewards below which no verdict is given. */
export const FEW_REWARDS = 30;
/** Maximum number of strata of a window; with 16 arms and 16 models their sums take 36 MB. */
export const MOST_STRATA = 64;
