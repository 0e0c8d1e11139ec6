/** How the 95 % interval of an estimate is made; both stand on the logit scale with t(ESS − 1). */
export const INTERVAL_METHODS = ['t-logit', 'bootstrap'] as const;
export type IntervalMethod = (typeof INTERVAL_METHODS)[number];
