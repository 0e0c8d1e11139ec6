import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { SnapshotSeries } from '../output.js';
import type { PropensityFileReport } from './rating-report.js';

const SECONDS_PER_MS = 1e-3;

/** What a snapshot says of rated pairs, and of the file that they are weighted by. */
export const RATING_SERIES: readonly SnapshotSeries[] = [
  {
    name: 'unskew_rated_pairs',
    help: 'Rated pairs that the model predicted, or did not; absent without metrics of ratings',
    labelNames: ['model', 'outcome', 'window'],
    *samples({ windows }) {
      for (const { name: window, ratings } of windows) {
        for (const { model, predicted, unpredicted } of ratings?.models ?? []) {
          yield [
            {
              model,
              outcome: 'predicted',
              window,
            },
            predicted,
          ];
          yield [
            {
              model,
              outcome: 'unpredicted',
              window,
            },
            unpredicted,
          ];
        }
      }
    },
  },
  {
    name: 'unskew_values_off_scale',
    help: 'Interactions whose value is no rating; absent without metrics of ratings',
    labelNames: ['window'],
    *samples({ windows }) {
      for (const { name: window, ratings } of windows) {
        if (ratings !== undefined) {
          yield [{ window }, ratings.counts.offScale];
        }
      }
    },
  },
  {
    name: 'unskew_propensity_file_info',
    help: 'Always 1; the file of propensities that ratings are weighted by; absent without one',
    labelNames: ['kind', 'version', 'date'],
    *samples(snapshot) {
      for (const { file } of files(snapshot).slice(0, 1)) {
        const { kind, version, date } = file;
        yield [
          {
            kind,
            version,
            date,
          },
          1,
        ];
      }
    },
  },
  {
    name: 'unskew_propensity_file_age_seconds',
    help: 'Event time since the newest rating that the file of propensities was learned from',
    labelNames: [],
    *samples(snapshot) {
      for (const { file } of files(snapshot).slice(0, 1)) {
        yield [{}, file.ageMs * SECONDS_PER_MS];
      }
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
function files({ windows }: Snapshot): {
  window: string;
  file: PropensityFileReport;
}[] {
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
        if (file.drift !== null && file.drift.ratings > 0) {
          yield [{ window }, read(file.drift)];
        }
      }
    },
  };
}
