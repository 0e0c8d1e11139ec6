import type { LevelReading, SeriesReading } from '../reading.js';

/** A distribution. */
export interface ShareReading extends SeriesReading {
  readonly kind: 'shares';
  /** Events by bin. */
  readonly counts: readonly number[];
  /** Of the users' events hanging together. */
  readonly designEffect: number;
}

/** Whether a model sent lists. */
export interface PresenceReading extends SeriesReading {
  readonly kind: 'presence';
  readonly hasLists: boolean;
}

export type Reading = LevelReading | ShareReading | PresenceReading;

/** A disjoint stretch of event time that one value of every series comes from. */
export interface Pane {
  /** Event time, ms: from ≤ ts < to. */
  readonly from: number;
  readonly to: number;
  /** Its place in the season, e.g. the hour of the week. */
  readonly slot: number;
}

/** One traffic's item counts: in the window, and over the rest of the horizon before it. */
export interface Traffic {
  /** Model whose exposures they are; null for interactions. */
  readonly model: string | null;
  readonly now: Int32Array;
  readonly before: Int32Array;
}
