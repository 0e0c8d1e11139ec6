import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Sample, SnapshotSeries } from '../output.js';
import type { PropensityFileReport } from './rating-report.js';

const SECONDS_PER_MS = 1e-3;

const OUTCOMES = ['predicted', 'unpredicted'] as const;

/** Gauges of rated pairs, and of the propensities file that weights them. */
export const RATING_SERIES: readonly SnapshotSeries[] = [
  {
    name: 'unskew_rated_pairs',
    help: 'Rated pairs with and without a prediction of the model; absent without rating metrics',
    labelNames: ['model', 'outcome', 'window'],
    samples: ({ windows }) =>
      windows.flatMap(({ name: window, ratings }) =>
        (ratings?.models ?? []).flatMap((counts) =>
          OUTCOMES.map((outcome): Sample => {
            const { model } = counts;
            const labels = {
              model,
              outcome,
              window,
            };
            return [labels, counts[outcome]];
          }),
        ),
      ),
  },
  {
    name: 'unskew_values_off_scale',
    help: 'Interactions whose value is not a rating; absent without rating metrics',
    labelNames: ['window'],
    samples: ({ windows }) =>
      windows.flatMap(({ name: window, ratings }) =>
        ratings === undefined ? [] : [[{ window }, ratings.counts.offScale]],
      ),
  },
  {
    name: 'unskew_propensity_file_info',
    help: 'Always 1; its labels identify the propensities file that weights ratings; absent without one',
    labelNames: ['kind', 'version', 'date'],
    samples: (snapshot) =>
      files(snapshot)
        .slice(0, 1)
        .map(({ file: { kind, version, date } }) => {
          const labels = {
            kind,
            version,
            date,
          };
          return [labels, 1];
        }),
  },
  {
    name: 'unskew_propensity_file_age_seconds',
    help: 'Age in event time of the newest rating that the propensities file was learned from',
    labelNames: [],
    samples: (snapshot) =>
      files(snapshot)
        .slice(0, 1)
        .map(({ file }) => [{}, file.ageMs * SECONDS_PER_MS]),
  },
  {
    name: 'unskew_propensity_unknown_pairs',
    help: 'Rated pairs that the propensities file does not cover',
    labelNames: ['unknown', 'window'],
    samples: (snapshot) =>
      files(snapshot).flatMap(({ window, file }) =>
        Object.entries(file.unknown).map(
          ([unknown, pairs]): Sample => [{ unknown, window }, pairs],
        ),
      ),
  },
  margins(
    'distance',
    'Share of the ratings that would need another item or value to match the propensities file',
    ({ distance }) => distance,
  ),
  margins(
    'chance',
    'Bound below which unskew_propensity_margin_distance stays by chance alone in 999 of 1,000 windows',
    ({ byChance }) => byChance,
  ),
];

/**
 * The windows that use a propensities file, each with the facts about its file. All windows of a
 * snapshot use the same file.
 */
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
    samples: (snapshot) =>
      files(snapshot).flatMap(({ window, file: { drift } }) =>
        // The drift of margins is unknown without ratings.
        drift !== null && drift.ratings > 0 ? [[{ window }, read(drift)]] : [],
      ),
  };
}
