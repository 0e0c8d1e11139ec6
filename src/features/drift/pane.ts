/** A disjoint stretch of event time that one value of every series comes from. */
export interface Pane {
  /** Event time, ms: from ≤ ts < to. */
  readonly from: number;
  readonly to: number;
  /** Its place in the season, e.g. the hour of the week. */
  readonly slot: number;
}
