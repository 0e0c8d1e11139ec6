import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import type { SegmentNumbers, SegmentReport } from '../../estimators/results/segment-report.js';
import { BUILT_IN_DIMENSIONS } from '../../estimators/segments/built-in-axes.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Sample, SnapshotSeries } from '../output.js';
import { isHiddenAt, segmentsOf } from './segment-rows.js';

/** Maximum number of exported series of one gauge by segment, over all windows. */
export const MOST_SEGMENT_SERIES = 2000;

const SEGMENT_LABELS = [
  'model',
  'metric',
  'k',
  'estimator',
  'aggregation',
  'window',
  'dimension',
  'kind',
  'value',
];

/** An estimate of one segment. */
interface Place {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly number: SegmentNumbers;
  readonly at: number;
  readonly rows: number;
}

/**
 * Prometheus gauges of pooled estimates by segment. If there are more than `MOST_SEGMENT_SERIES`,
 * segments of configured dimensions come before those of built-in dimensions, and then segments
 * with more rows before those with fewer.
 */
export const SEGMENT_SERIES: readonly SnapshotSeries[] = [
  segment('', 'Estimate over the events of a segment', ({ value }) => value),
  segment(
    '_lower',
    'Lower end of the 95 % interval of unskew_segment_estimate',
    ({ lower }) => lower,
  ),
  segment(
    '_upper',
    'Upper end of the 95 % interval of unskew_segment_estimate',
    ({ upper }) => upper,
  ),
  segment('_share', 'Share of the total weight that the segment has', ({ share }) => share),
  {
    name: 'unskew_segment_series_cut',
    help: 'Number of segment series that are left out of each gauge, because there are more than 2,000',
    labelNames: [],
    samples: (snapshot) =>
      isDivided(snapshot)
        ? [[{}, Math.max(0, placesOf(snapshot).length - MOST_SEGMENT_SERIES)]]
        : [],
  },
  {
    name: 'unskew_segment_values_other',
    help: 'Number of values of a dimension that are grouped as other',
    labelNames: ['window', 'dimension'],
    samples: ({ windows }) =>
      windows.flatMap(({ name: window, segments }) =>
        (segments?.dimensions ?? []).map(
          (dimension, d): Sample => [{ window, dimension }, segments!.hidden[d]],
        ),
      ),
  },
];

function segment(
  suffix: string,
  help: string,
  column: (number: SegmentNumbers) => readonly number[],
): SnapshotSeries {
  return {
    name: `unskew_segment_estimate${suffix}`,
    help,
    labelNames: SEGMENT_LABELS,
    samples: (snapshot) =>
      placesOf(snapshot)
        .slice(0, MOST_SEGMENT_SERIES)
        .map(({ labels, number, at }): Sample => [labels, column(number)[at]])
        .filter(([, value]) => !Number.isNaN(value)),
  };
}

function isDivided({ windows }: Snapshot): boolean {
  return windows.some(({ segments }) => segments !== undefined);
}

/** Exported estimates by snapshot, cached because every gauge needs the same ones. */
const known = new WeakMap<Snapshot, readonly Place[]>();

function placesOf(snapshot: Snapshot): readonly Place[] {
  let places = known.get(snapshot);
  if (places === undefined) {
    places = snapshot.windows
      .flatMap(({ name, segments }) => (segments === undefined ? [] : shownIn(segments, name)))
      .sort((a, b) => builtIn(a.labels) - builtIn(b.labels) || b.rows - a.rows);
    known.set(snapshot, places);
  }
  return places;
}

function builtIn({ dimension }: { readonly dimension?: unknown }): number {
  return Number(BUILT_IN_DIMENSIONS.some((name) => name === dimension));
}

/**
 * Estimates by segment that are exported as gauges. For built-in dimensions these are only those of
 * naive and of the leading estimator, as in the panel.
 */
function shownIn(report: SegmentReport, window: string): Place[] {
  const rows = report.rows.flat();
  const segments = segmentsOf(report);
  const isLed = report.numbers.some(({ estimator }) => estimator === LEADING);
  return report.numbers.flatMap((number) => {
    const { model, metric, k, estimator, form: aggregation } = number;
    if (aggregation !== 'pooled') return [];
    const isExtra = isLed && estimator !== LEADING && estimator !== UNCORRECTED;
    return segments.flatMap(({ dimension, kind, value }, at) => {
      if (isHiddenAt(number, at, report) || (isExtra && builtIn({ dimension }))) return [];
      const named = {
        model,
        metric,
        k: k ?? '',
        estimator,
        aggregation,
        window,
      };
      const labels = {
        ...named,
        dimension,
        kind,
        value: value ?? '',
      };
      return [
        {
          labels,
          number,
          at,
          rows: rows[at],
        },
      ];
    });
  });
}
