interface Described {
  /** Computed where nothing else is asked for. */
  readonly isDefault: boolean;
  /** What one value says, for reports. */
  readonly inWords: string;
}

/** A gain that follows from an item's rank alone: its metric is a mean over relevant items. */
export interface RankMetric extends Described {
  readonly kind: 'rank';
  /** Given over the whole list; given at each cut-off. */
  readonly isUncut: boolean;
  readonly isCut: boolean;
  /** λ at a 0-based rank, 0 from K on; K is Infinity for the uncut form. */
  gain(rank: number, k: number): number;
}

/** A gain that depends on the list's length too, and so takes lists that rank all candidates. */
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
  /** Of a value, whatever the set. */
  readonly bounds: {
    readonly least: number;
    readonly most: number;
  };
  /**
   * What a relevant item at rank z < K adds; `precision`: the precision at its place, (1 + above) /
   * (z + 1), where `above` others stand above it.
   */
  readonly share: ((rank: number) => number) | 'precision';
  /** 1 / what is divided by, for n ≥ 1 relevant items; every n above K is as K. */
  norm(k: number): (n: number) => number;
}

export type MetricEntry = RankMetric | ListMetric | SetMetric;
