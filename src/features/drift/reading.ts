import type { LevelReading, SeriesReading } from '../reading.js';

/** A reading of a distribution over bins. */
export interface ShareReading extends SeriesReading {
  readonly kind: 'shares';
  /** Events by bin. */
  readonly counts: readonly number[];
  /** Design effect of the correlation between a user's events. */
  readonly designEffect: number;
}

/** A reading of whether a model sent lists. */
export interface PresenceReading extends SeriesReading {
  readonly kind: 'presence';
  readonly hasLists: boolean;
}

/** A reading of a series in one drift window. */
export type Reading = LevelReading | ShareReading | PresenceReading;

/** A drift window. Drift windows do not overlap, and every series has one value per window. */
export interface Pane {
  /** Event time, ms: from ≤ ts < to. */
  readonly from: number;
  readonly to: number;
  /** Seasonal slot, such as the hour of the week. */
  readonly slot: number;
}

/**
 * Counts of interactions, or of one model's exposures, by item: in the window (`now`), and in the
 * rest of the popularity horizon before it (`before`).
 */
export interface Traffic {
  /** Model of the exposures; null for interactions. */
  readonly model: string | null;
  readonly now: Int32Array;
  readonly before: Int32Array;
}
