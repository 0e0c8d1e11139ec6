interface Described {
  /** Whether the metric is computed by default. */
  readonly isDefault: boolean;
  /** Meaning of one value, for reports. */
  readonly inWords: string;
}

/** Metric with a gain that depends on an item's rank alone; its value is a mean over relevant items. */
export interface RankMetric extends Described {
  readonly kind: 'rank';
  /** Whether it is computed over the whole list, and at each cut-off. */
  readonly isUncut: boolean;
  readonly isCut: boolean;
  /** λ at a 0-based rank, 0 from K on; K is Infinity for the uncut form. */
  gain(rank: number, k: number): number;
}

/** Metric with a gain that depends on the list's length too, so it needs lists that rank all candidates. */
export interface ListMetric extends Described {
  readonly kind: 'list';
  /** λ at a 0-based rank among `length` candidates. */
  gain(rank: number, length: number): number;
}

/**
 * A metric of a user's whole set of relevant items at each cut-off, not a mean of gains of single
 * items. Its value is the sum over hits, divided by the largest possible sum for n relevant items.
 */
export interface SetMetric extends Described {
  readonly kind: 'set';
  /** Bounds of its values for any set. */
  readonly bounds: {
    readonly least: number;
    readonly most: number;
  };
  /**
   * Contribution of a relevant item at rank z < K; `precision`: the precision at its rank, (1 +
   * above) / (z + 1), with `above` relevant items above it.
   */
  readonly share: ((rank: number) => number) | 'precision';
  /** 1 / divisor for n ≥ 1 relevant items, constant for n ≥ K. */
  norm(k: number): (n: number) => number;
}

export type MetricEntry = RankMetric | ListMetric | SetMetric;
