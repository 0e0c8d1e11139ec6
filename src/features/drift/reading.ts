import type { LevelReading, SeriesReading } from '../reading.js';

/** A reading with a distribution. */
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

export type Reading = LevelReading | ShareReading | PresenceReading;

/** A disjoint drift window. Each series has one value per pane. */
export interface Pane {
  /** Event time, ms: from ≤ ts < to. */
  readonly from: number;
  readonly to: number;
  /** Seasonal slot, such as the hour of the week. */
  readonly slot: number;
}

/**
 * Item counts of interactions or of a model's exposures: in the window, and in the rest of the
 * horizon before it.
 */
export interface Traffic {
  /** Model of the exposures; null for interactions. */
  readonly model: string | null;
  readonly now: Int32Array;
  readonly before: Int32Array;
}
