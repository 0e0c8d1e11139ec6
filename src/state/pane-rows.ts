/**
 * The interactions of one closed pane, in order of event time, with the rank that each model's
 * list gave their item: a row of a window. 9 bytes a row, 4 for each model, and 4 where propensities
 * were logged. Immutable.
 */
export interface PaneRows {
  /** Number of the pane: it covers pane · tick ≤ ts < (pane + 1) · tick. */
  readonly pane: number;
  readonly length: number;
  readonly user: Int32Array;
  readonly item: Int32Array;
  /** Flags of the event, with POSITIVE. */
  readonly flags: Uint8Array;
  /** Logged propensity with which the item was shown, 0 where there is none; if any row has one. */
  readonly propensity: Float32Array | undefined;
  /** By model; as in `WindowPart`. A model that had no list yet has no column: all UNRANKED. */
  readonly ranks: readonly (Uint16Array | undefined)[];
  readonly lists: readonly (Uint16Array | undefined)[];
}
