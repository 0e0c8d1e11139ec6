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
 * Limits on |z| of the difference between an arm's value from all arms' requests and from its own:
 * above the first there is a caution, above the second challengers have no value.
 */
export const DOUBTFUL_ARM_Z = 2;
export const MOST_ARM_Z = 3;
/**
 * Ratio of observed to expected pairs of clicks below which users are said to stop after a click.
 * It is checked if at least `LEAST_PAIRS` pairs are expected.
 */
export const LEAST_PAIR_RATIO = 0.8;
export const LEAST_PAIRS = 20;
/** Value below which requests rarely have two clicks, so that stopping after a click causes little bias. */
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
 * Largest share that a single item row may have in an estimate's weighted rewards, or in its
 * weights.
 */
export const MOST_ROW_SHARE = 0.1;
/** |z| of the mean weight's distance from 1 above which values are refused. */
export const MOST_WEIGHT_Z = 3;
/**
 * |z| of the difference between values with shrunk and with original weights above which the former
 * are refused.
 */
export const MOST_SHRINKAGE_Z = 3;
/** Effective number of rewards below which no verdict is given. */
export const FEW_REWARDS = 30;
/** Maximum number of strata of a window; with 16 arms and 16 models their sums take 36 MB. */
export const MOST_STRATA = 64;
