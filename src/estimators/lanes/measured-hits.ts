import type { ListMetric } from '../metrics/metric.js';
import type { Metric } from '../metrics/registry.js';
import type { ExpectedSet } from './expected-set.js';
import type { Hits } from './hits.js';

/** One metric at one cut-off: how it is measured, and what its gain has shown so far. */
export interface MeasuredHits {
  readonly metric: Metric;
  readonly k: number | null;
  /** Gain by rank; for a set metric the places that it looks at; null where lists' length counts. */
  readonly table: Float64Array | null;
  /** Gain by rank and length of the list, where it takes both. */
  readonly ofList: ListMetric | null;
  /** What measures a user's whole set; null for a mean of gains. */
  readonly set: ExpectedSet | null;
  /** Of the latest chunk. */
  readonly hits: Hits;
  least: number;
  most: number;
}
