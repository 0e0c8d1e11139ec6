/**
 * The interactions of one closed pane, in order of event time, with the rank that each model's
 * list gave their item: a row of a window. 9 bytes a row and 4 for each model. Immutable.
 */
export interface PaneRows {
  /** Number of the pane: it covers pane · tick ≤ ts < (pane + 1) · tick. */
  readonly pane: number;
  readonly length: number;
  readonly user: Int32Array;
  readonly item: Int32Array;
  /** Flags of the event, with POSITIVE. */
  readonly flags: Uint8Array;
  /** By model; as in `WindowPart`. A model that had no list yet has no column: all UNRANKED. */
  readonly ranks: readonly (Uint16Array | undefined)[];
  readonly lists: readonly (Uint16Array | undefined)[];
}
