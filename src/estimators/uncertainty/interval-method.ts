/**
 * How the 95 % interval of an estimate is made. `t-logit` and `bootstrap` stand on the logit scale
 * with t(ESS − 1); `korn-graubard` is binomial, of as many draws as the error is worth.
 */
export const INTERVAL_METHODS = ['t-logit', 'bootstrap', 'korn-graubard'] as const;
export type IntervalMethod = (typeof INTERVAL_METHODS)[number];
