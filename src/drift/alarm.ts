/** A change that a detector found in a series of closed panes. */
export interface Alarm {
  /** What changed, e.g. `popularity_gini{stream="exposures",model="two-tower"}`. */
  readonly series: string;
  readonly detector: string;
  /** Event time of the pane where the change is estimated to have begun, ms. */
  readonly since: number;
  /** End of the pane where it fired, ms event time. */
  readonly at: number;
  readonly score: number;
  readonly threshold: number;
  /** Standardised size of the change; null where the detector does not give one. */
  readonly size: number | null;
  /** Why nobody should be woken for it; null where somebody should. */
  readonly suppressed: string | null;
  readonly models: readonly string[];
  /** Items behind it, with their share now and before. */
  readonly topItems: readonly {
    readonly item: string;
    readonly share: number;
    readonly before: number;
  }[];
}
