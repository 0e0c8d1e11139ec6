/** What can be learned as a baseline. */
export const KINDS = ['popularity', 'user-knn', 'item-knn', 'ials', 'mf', 'mf-ips'] as const;
export type Kind = (typeof KINDS)[number];

const FACTORISED = ['factors', 'lambda', 'folds', 'sweeps', 'loss', 'seed'] as const;

/** What says how a kind is learned; anything else would have no effect. */
export const LEARNED_BY = {
  popularity: [],
  'user-knn': ['neighbours'],
  'item-knn': ['neighbours'],
  ials: ['factors', 'lambda', 'sweeps', 'alpha', 'seed'],
  mf: FACTORISED,
  'mf-ips': FACTORISED,
} as const satisfies Readonly<Record<Kind, readonly string[]>>;
