import { DRIFT_SERIES } from './drift/gauges.js';
import { SHOWN_LIST_SERIES } from './on-policy/gauges.js';
import type { SnapshotSeries } from './output.js';
import { RATING_SERIES } from './ratings/gauges.js';
import { SEGMENT_SERIES } from './segments/gauges.js';
import { VALUE_SERIES } from './values/gauges.js';
import { TEST_SERIES, VERDICT_SERIES } from './verdicts/gauges.js';

/**
 * Gauges of served lists, beside the gauges of result rows. They are separate from
 * `FEATURE_GAUGES`, since they have a fixed position among the gauges of snapshots.
 */
export const LIST_GAUGES: readonly SnapshotSeries[] = [...SHOWN_LIST_SERIES];

/** Gauges of features that come last in the metrics output, in order. */
export const FEATURE_GAUGES: readonly SnapshotSeries[] = [
  ...VALUE_SERIES,
  ...VERDICT_SERIES,
  ...TEST_SERIES,
  ...SEGMENT_SERIES,
  ...DRIFT_SERIES,
  ...RATING_SERIES,
];
