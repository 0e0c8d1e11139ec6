import type { RatingMetric } from '../../estimators/metrics/rating-metrics.js';
import type { EstimatorName, Metric } from '../../estimators/names.js';
import type { DetectorOptions } from './detector.js';
import type { DriftScore } from './drift-score.js';
import type { Alarm, Notice } from './schema.js';

declare module '../../stream/feature-types.js' {
  interface FeatureOptions {
    /** What is watched for changes; nothing is without. */
    readonly drift?: DriftOptions | undefined;
  }
  interface SnapshotReports {
    /** Changes that detectors found and that are still shown, oldest first. */
    readonly alarms: readonly Alarm[];
    /** What is new and no alarm, while it is shown; only where models are watched for their lists. */
    readonly notices?: readonly Notice[];
    /** How far the detectors are from an alarm; only where changes are watched for. */
    readonly drift?: readonly DriftScore[];
  }
  interface LearnedTexts {
    /** What the detectors of change have learned, over all partitions. */
    readonly drift?: string | undefined;
  }
}

/** What is watched for changes, and how. All times are event time, in ms. */
export interface DriftOptions extends DetectorOptions {
  /** The window whose disjoint stretches are the panes of the detectors; one of the windows. */
  readonly windowMs: number;
  /** The metric that models are watched by; undefined: they are not watched by their estimates. */
  readonly metric: { readonly metric: Metric; readonly k: number | null } | undefined;
  /** The same of predicted ratings; undefined: they are not watched. */
  readonly ratings?: { readonly metric: RatingMetric; readonly k: number | null } | undefined;
  readonly estimators: readonly EstimatorName[];
  /** An alarm is shown for this many panes, and then its end is. */
  readonly hold: number;
  /** Period of the baseline, in places of an hour or a pane, whichever is longer; null for none. */
  readonly seasonMs: number | null;
}
