import type { Alarm } from '../alarm.js';
import type { Sample, SnapshotSeries } from '../output.js';
import type { DriftScore } from './drift-options.js';

const LABELS = ['series', 'detector', 'model'] as const;

/** Gauges of the drift detectors. */
export const DRIFT_SERIES: readonly SnapshotSeries[] = [
  {
    name: 'unskew_drift_score',
    help: 'Score of a detector on a series; absent while the baseline is learned',
    labelNames: LABELS,
    samples: ({ drift = [] }) =>
      drift.flatMap((row) => (row.score === null ? [] : [[labelsOf(row), row.score]])),
  },
  {
    name: 'unskew_drift_threshold',
    help: 'Score at which a detector fires, adjusted for the number of series',
    labelNames: LABELS,
    samples: ({ drift = [] }) => drift.map((row) => [labelsOf(row), row.threshold]),
  },
  state(
    'unskew_drift_alarm',
    '1 while an alarm on the series is shown that should be acted on',
    (alarm) => Number(alarm.suppressed === null),
  ),
  state(
    'unskew_drift_suppressed',
    '1 while an alarm on the series is shown that should not be acted on, e.g. because of a small sample or a poor fit of γ',
    (alarm) => Number(alarm.suppressed !== null),
  ),
];

/**
 * Gauge with one sample per monitored series and detector: 0 without an alarm, and `read(alarm)`
 * with one.
 */
function state(name: string, help: string, read: (alarm: Alarm) => number): SnapshotSeries {
  return {
    name,
    help,
    labelNames: LABELS,
    samples: ({ drift = [], alarms }) => [
      ...drift.filter((row) => !isAlarmed(row, alarms)).map((row): Sample => [labelsOf(row), 0]),
      ...alarms.map((alarm): Sample => [alarmLabels(alarm), read(alarm)]),
    ],
  };
}

function alarmLabels({ series, detector, models }: Alarm) {
  return {
    series,
    detector,
    model: ownModel(series, models),
  };
}

function labelsOf({ series, detector, model }: DriftScore) {
  return {
    series,
    detector,
    model: model ?? '',
  };
}

function isAlarmed({ series, detector }: DriftScore, alarms: readonly Alarm[]): boolean {
  return alarms.some((alarm) => alarm.series === series && alarm.detector === detector);
}

/**
 * Name of the model whose series this is; empty for a series of all traffic. `models` are those
 * responsible for the alarm, also if the series is of all traffic.
 */
function ownModel(series: string, models: readonly string[]): string {
  return models.length === 1 && series.endsWith(`/${models[0]}`) ? models[0] : '';
}
