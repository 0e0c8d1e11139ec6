import { rowFromV1, v1Identity, v1Interval } from '../../outputs/json/v1-row.js';
import { between, decimal, isKnown, whole } from '../../rows/figures.js';
import { fileWords } from '../../rows/findings/propensities.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import type { ShownRow } from '../../rows/row.js';
import {
  type CalibrationPoint,
  intervals,
  names,
  numbers,
  type Section,
  type Table,
  texts,
} from '../../rows/table.js';
import { metricName } from '../../rows/words.js';
import type { FeatureOutput, Sent } from '../output.js';
import type { RatingsReport, RatingsV1 } from './rating-report.js';

type Shown = Sent<RatingsReport>;

/** How rating metrics are shown: rows, differences, section and JSON. */
export const RATINGS_OUTPUT = {
  name: 'ratings',
  rows: ({ estimates }) => estimates,
  differences: ({ differences }) => differences,
  narrowed: ['calibration', 'models'],
  section: (report, shows = () => true) => ratingSection(report, shows),
  toV1: ({ common: _, ...report }) => ({
    ...report,
    estimates: report.estimates.map((row) => ({
      ...v1Identity(row),
      ...v1Interval(row),
      users: row.counts.users,
      ess: row.ess,
      events: row.counts.pairs,
      ...row.more,
    })),
    differences: report.differences.map((row) => ({
      ...v1Identity(row),
      reference: row.reference,
      ...v1Interval(row),
      users: row.counts.users,
      ess: row.ess,
    })),
  }),
  fromV1: (report: Sent<RatingsV1>): Shown => ({
    ...report,
    estimates: report.estimates.map((row) => rowFromV1(row, 'ratings')),
    differences: report.differences.map((row) => rowFromV1(row, 'ratings')),
  }),
} satisfies FeatureOutput<'ratings'>;

function ratingSection(report: Shown, shows: (row: ShownRow) => boolean): Section {
  const { counts, calibration } = report;
  return {
    name: 'ratings',
    title: 'Predicted ratings',
    lead: [
      `${whole(counts.users)} users chose to rate ${whole(counts.rated)} pairs; ${whole(counts.random)} ratings are of randomly drawn items. ${whole(counts.offScale)} interactions have a value that is not a rating. Users rate what they like, so uncorrected errors are mostly errors on liked items.${weightsOf(report)}`,
    ],
    notes: notesOf(report),
    blocks: [
      {
        tables: [estimateTable(report.estimates.filter(shows))],
      },
      {
        title: ['Calibration'],
        lead: [
          'Each row is a fifth of a model’s predictions, with the mean prediction, the mean rating given, and that mean corrected for who rates what.',
        ],
        chart: {
          kind: 'calibration',
          points: calibration,
        },
        tables: [calibrationTable(calibration)],
      },
    ],
  };
}

function estimateTable(rows: readonly ShownRow[]): Table {
  return {
    name: 'ratings',
    title: 'Metrics of ratings',
    columns: [
      ...names('model'),
      ...texts('metric', 'estimator', 'mean over'),
      ...numbers('value'),
      ...intervals('95 % interval'),
      ...numbers('pairs'),
    ],
    lines: rows.map(({ model, metric, k, estimator, form, ...row }) => [
      { name: model },
      metricName({ metric, k }),
      estimator,
      form === 'user' ? 'users' : 'pairs',
      decimal(row.value, 4),
      between(row.lower, row.upper),
      whole(row.counts['pairs']),
    ]),
  };
}

function calibrationTable(points: readonly CalibrationPoint[]): Table {
  return {
    name: 'calibration',
    title: 'Calibration of predictions',
    columns: [...names('model'), ...numbers('predicted', 'rating given', 'corrected', 'pairs')],
    lines: points.map(({ model, predicted, rated, corrected, rows }) => [
      { name: model },
      decimal(predicted, 2),
      decimal(rated, 2),
      decimal(corrected, 2),
      whole(rows),
    ]),
  };
}

/** Sentence that compares the sum of the weights with the number of pairs they represent. */
function weightsOf({ propensity: { weightShare, pairs } }: Shown): string {
  if (!isKnown(weightShare) || weightShare <= 0) return '';
  return ` The weights add up to ${decimal(weightShare, 3)} times the ${whole(pairs)} pairs.`;
}

function notesOf({ models, refusals, propensity }: Shown): Sentence[] {
  const { file } = propensity;
  return [
    ...(file === undefined ? [] : [[`Weighted by learned propensities: ${fileWords(file)}.`]]),
    ...models
      .filter(({ unpredicted }) => (unpredicted ?? 0) > 0)
      .map(
        ({ model, unpredicted }) =>
          say`${{ name: model }} has no prediction for ${whole(unpredicted)} rated pairs.`,
      ),
    ...refusals.map(({ estimator, model, reason }) => {
      const of = model === undefined ? [] : say` of ${{ name: model }}`;
      return say`${estimator}${of} is not available: it ${reason}.`;
    }),
  ];
}
