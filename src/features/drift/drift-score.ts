import type { DetectorName } from './detector.js';

/** How far a detector is from an alarm on a series, at the newest pane of the detectors. */
export interface DriftScore {
  readonly series: string;
  /** Null for all traffic. */
  readonly model: string | null;
  readonly detector: DetectorName;
  /** Null while the series is learned. */
  readonly score: number | null;
  readonly threshold: number;
}
