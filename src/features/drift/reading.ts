/** What a pane says of one series. */
interface SeriesReading {
  /** Unique; kind first, model last: `gini/exposures/blend`. */
  readonly series: string;
  /** Model that it is about; null for all traffic. */
  readonly model: string | null;
  /** Why no alarm may rest on this pane; null where nothing speaks against it. */
  readonly reason: string | null;
}

/** A number. */
export interface LevelReading extends SeriesReading {
  readonly kind: 'level';
  readonly value: number;
  /** In inverse proportion to the value's variance: 1/SE², or a number of events or users. */
  readonly weight: number;
  /** Whether the weight is a number of events and the value depends on how many there are. */
  readonly dependsOnVolume: boolean;
  /** Whether it is another number under another γ. */
  readonly restsOnGamma?: boolean;
}

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
