import { DRIFT_SERIES } from './drift/gauges.js';
import type { SnapshotSeries } from './output.js';
import { RATING_SERIES } from './ratings/gauges.js';
import { SEGMENT_SERIES } from './segments/gauges.js';
import { VALUE_SERIES } from './values/gauges.js';
import { VERDICT_SERIES } from './verdicts/gauges.js';

/** Gauges of features beside those of their rows, in their order on the page of metrics. */
export const FEATURE_GAUGES: readonly SnapshotSeries[] = [
  ...VALUE_SERIES,
  ...VERDICT_SERIES,
  ...SEGMENT_SERIES,
  ...DRIFT_SERIES,
  ...RATING_SERIES,
];
