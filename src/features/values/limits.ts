/** Share of complete requests below which no value is reported, since lost requests may differ. */
export const LEAST_COMPLETE = 0.95;
/** Share of requests with pending rewards above which values are too low. */
export const MOST_PENDING = 0.05;
/** p-value below which the split is a mismatch; chance causes one in a thousand windows. */
export const LEAST_RATIO_P = 0.001;
/** |z| of mean(C − T) above which a model's lists depend on the arm. */
export const MOST_BALANCE_Z = 3;
/** |z| between an arm's two values above which there is a caution and challengers have no value. */
export const DOUBTFUL_ARM_Z = 2;
export const MOST_ARM_Z = 3;
/** Pairs of clicks against those of independent places; looked at from so many expected on. */
export const LEAST_PAIR_RATIO = 0.8;
export const LEAST_PAIRS = 20;
/** Below this value a request rarely has two clicks, and then users' stopping biases little. */
export const LEAST_PAIR_VALUE = 0.1;
/** Largest standard error of log θ. */
export const MOST_EXAMINATION_ERROR = 0.25;
export const WHOLE_COVERAGE = 0.95;
export const LEAST_COVERAGE = 0.5;
/** Share of the largest row. */
export const MOST_ROW_SHARE = 0.1;
/** |z| of the mean weight from 1. */
export const MOST_WEIGHT_Z = 3;
/** |z| between values by shrunk weights and by weights as they are. */
export const MOST_SHRINKAGE_Z = 3;
/** Effective number of rewards below which nothing is decided. */
export const FEW_REWARDS = 30;
/** Strata of a window: with 16 arms and 16 models their sums take 36 MB. */
export const MOST_STRATA = 64;
