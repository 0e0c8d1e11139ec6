import type { EstimateRow } from '../../estimators/results/estimate.js';
import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import type { DriftOptions } from './drift-options.js';

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

export type WeightOf = (row: Pick<EstimateRow, 'ess' | 'stdErr'>) => number;

/** What a value counts against others of its series. */
export function weightOf(standardisation: DriftOptions['standardisation']): WeightOf {
  return standardisation === 'ranks'
    ? ({ ess }) => ess
    : ({ stdErr }) => (stdErr > 0 ? stdErr ** -2 : 0);
}

/** Why no alarm may rest on so few; null where one may. */
export function tooFewUsers({ ess }: Pick<EstimateRow, 'ess'>): string | null {
  return ess >= FEW_USERS ? null : `effective sample size ${ess.toFixed(1)} is below ${FEW_USERS}`;
}
