/** The two forms of a mean: over users of their own means, or over the rows of all. */
export const AGGREGATIONS = ['user', 'pooled'] as const;

export type Aggregation = (typeof AGGREGATIONS)[number];
