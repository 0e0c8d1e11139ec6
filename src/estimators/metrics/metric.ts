interface Described {
  /** Whether the metric is computed by default. */
  readonly isDefault: boolean;
  /** Meaning of one value, for reports. */
  readonly inWords: string;
}

/**
 * Metric with a gain that depends on an item's rank alone; its value is the mean gain of relevant
 * items.
 */
export interface RankMetric extends Described {
  readonly kind: 'rank';
  /** Whether the metric has an uncut form over the whole list, and a form at each cut-off. */
  readonly isUncut: boolean;
  readonly isCut: boolean;
  /** Gain λ at a 0-based rank, 0 for ranks from `k` on; `k` is Infinity for the uncut form. */
  gain(rank: number, k: number): number;
}

/** Metric with a gain that depends on the list's length too, so it needs lists that rank all candidates. */
export interface ListMetric extends Described {
  readonly kind: 'list';
  /** Gain λ at a 0-based rank among `length` candidates. */
  gain(rank: number, length: number): number;
}

/**
 * Metric of a user's whole set of relevant items at each cut-off K, such as ndcg, instead of a mean
 * of gains of single items. Its value is the sum of `share` over hits, multiplied by `norm`.
 */
export interface SetMetric extends Described {
  readonly kind: 'set';
  /** Bounds of the metric's value for any set. */
  readonly bounds: {
    readonly least: number;
    readonly most: number;
  };
  /**
   * Contribution of a relevant item at 0-based rank z < K. `precision` means the precision at its
   * rank, (1 + above) / (z + 1), with `above` relevant items above it.
   */
  readonly share: ((rank: number) => number) | 'precision';
  /**
   * Factor of the sum over hits for a user with n ≥ 1 relevant items: 1 / divisor. It is the same
   * for all n ≥ K.
   */
  norm(k: number): (n: number) => number;
}

export type MetricEntry = RankMetric | ListMetric | SetMetric;
