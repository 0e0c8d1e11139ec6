import { Counter, Gauge, type Registry } from 'prom-client';
import type { PropensityFileReport } from '../../estimators/ratings/window/file-report.js';
import type { Snapshot } from '../../stream/snapshot.js';
import type { SnapshotSeries } from './snapshot-series.js';

const SECONDS_PER_MS = 1e-3;

/** What a snapshot says of the file that its ratings are weighted by. */
export const PROPENSITY_SERIES: readonly SnapshotSeries[] = [
  {
    name: 'unskew_propensity_file_info',
    help: 'Always 1; the file of propensities that ratings are weighted by; absent without one',
    labelNames: ['kind', 'version', 'date'],
    *samples(snapshot) {
      for (const { file } of files(snapshot).slice(0, 1)) {
        const { kind, version, date } = file;
        yield [{ kind, version, date }, 1];
      }
    },
  },
  {
    name: 'unskew_propensity_file_age_seconds',
    help: 'Event time since the newest rating that the file of propensities was learned from',
    labelNames: [],
    *samples(snapshot) {
      for (const { file } of files(snapshot).slice(0, 1)) yield [{}, file.ageMs * SECONDS_PER_MS];
    },
  },
  {
    name: 'unskew_propensity_unknown_pairs',
    help: 'Rated pairs that the file of propensities knows nothing of',
    labelNames: ['unknown', 'window'],
    *samples(snapshot) {
      for (const { window, file } of files(snapshot)) {
        for (const [unknown, pairs] of Object.entries(file.unknown)) {
          yield [{ unknown, window }, pairs];
        }
      }
    },
  },
  margins(
    'distance',
    'Share of the ratings that would have to be elsewhere to lie as the file of propensities expects',
    ({ distance }) => distance,
  ),
  margins(
    'chance',
    'What chance alone keeps that share below, in 999 of 1,000 windows',
    ({ byChance }) => byChance,
  ),
];

/** A window of a snapshot with its file. All windows of a snapshot have the same. */
function files({ windows }: Snapshot): { window: string; file: PropensityFileReport }[] {
  return windows.flatMap(({ name: window, ratings }) => {
    const file = ratings?.propensity.file;
    return file === undefined ? [] : [{ window, file }];
  });
}

function margins(
  suffix: string,
  help: string,
  read: (drift: NonNullable<PropensityFileReport['drift']>) => number,
): SnapshotSeries {
  return {
    name: `unskew_propensity_margin_${suffix}`,
    help,
    labelNames: ['window'],
    *samples(snapshot) {
      for (const { window, file } of files(snapshot)) {
        // Without ratings it is not known.
        if (file.drift !== null && file.drift.ratings > 0) yield [{ window }, read(file.drift)];
      }
    },
  };
}

/** What became of a changed file. */
export type FileReading = 'taken' | 'refused';

/**
 * Counts readings of the file of propensities, from 0, so that a first rise is seen as one, and shows
 * whether the last one was refused.
 */
export function registerFileReadings(registry: Registry): (outcome: FileReading) => void {
  const readings = new Counter({
    name: 'unskew_propensity_file_readings_total',
    help: 'Times that a changed file of propensities was read; a refused one leaves the old in use',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const refused = new Gauge({
    name: 'unskew_propensity_file_refused',
    help: '1 while the file of propensities that is there is refused, and an older one in use',
    registers: [registry],
  });
  for (const outcome of ['taken', 'refused'] as const) readings.inc({ outcome }, 0);
  return (outcome) => {
    readings.inc({ outcome });
    refused.set(Number(outcome === 'refused'));
  };
}
