import { rowFromV1, v1Identity, v1Interval } from '../../outputs/json/v1-row.js';
import { decimal, whole } from '../../rows/figures.js';
import { fileWords } from '../../rows/findings/file-words.js';
import type { Difference, Row, Wire } from '../../rows/row.js';
import { metricName } from '../../rows/words.js';
import type { FeatureOutput, Section, Sent } from '../output.js';
import type { RatingsReport, RatingsV1 } from './rating-report.js';

type Shown = Sent<RatingsReport>;

/** What is made of the ratings of a window. */
export const RATINGS_OUTPUT: FeatureOutput<'ratings'> = {
  name: 'ratings',
  rows: ({ estimates }) => estimates as unknown as readonly Wire<Row>[],
  differences: ({ differences }) => differences as unknown as readonly Wire<Difference>[],
  narrowed: ['calibration', 'models'],
  section: (report, shows = () => true) => ratingSection(report, shows),
  toV1: (report) => ({
    ...report,
    estimates: report.estimates.map((row) => ({
      ...v1Identity(row),
      ...v1Interval(row),
      ...{ users: row.counts.users, ess: row.ess, events: row.counts.pairs, ...row.more },
    })),
    differences: report.differences.map((row) => ({
      ...{ ...v1Identity(row), reference: row.reference, ...v1Interval(row) },
      ...{ users: row.counts.users, ess: row.ess },
    })),
  }),
  fromV1: (report: Sent<RatingsV1>): Shown => ({
    ...report,
    estimates: report.estimates.map((row) =>
      rowFromV1(row, 'ratings'),
    ) as unknown as Shown['estimates'],
    differences: report.differences.map((row) =>
      rowFromV1(row, 'ratings'),
    ) as unknown as Shown['differences'],
  }),
};

function ratingSection(report: Shown, shows: (row: Wire<Row>) => boolean): Section {
  const { counts, calibration } = report;
  const estimates = (report.estimates as unknown as readonly Wire<Row>[]).filter(shows);
  return {
    name: 'ratings',
    title: 'Predicted ratings',
    lead: `${whole(counts.rated)} pairs that ${whole(counts.users)} users chose to rate, ${whole(counts.random)} that they were asked to rate at random; ${whole(counts.offScale)} interactions whose value is no rating. Users rate what they like, so the plain errors are those on liked items.`,
    notes: notesOf(report),
    blocks: [
      {
        table: {
          ...{ name: 'ratings', title: 'Metrics of ratings' },
          head: ['model', 'metric', 'estimator', 'mean over', 'value', '95 % interval', 'pairs'],
          lines: estimates.map(lineOf),
        },
      },
      {
        title: 'Calibration',
        lead: 'By fifths of its predictions: the mean that a model predicted, the mean rating of those who rated, and the same corrected for who rates what.',
        table: {
          ...{ name: 'calibration', title: 'Calibration of predictions' },
          head: ['model', 'predicted', 'those who rated', 'corrected', 'pairs'],
          lines: calibration.map(({ model, predicted, rated, corrected, rows }) => [
            ...[model, ...[predicted, rated, corrected].map((each) => decimal(each, 2))],
            whole(rows),
          ]),
        },
        plot: 'calibration',
      },
    ],
  };
}

function lineOf(row: Wire<Row>): string[] {
  const { model, estimator, form, value, lower, upper, counts } = row;
  return [
    ...[model, metricName(row), estimator],
    ...[form === 'user' ? 'users' : 'pairs', decimal(value, 4)],
    ...[`${decimal(lower, 4)} to ${decimal(upper, 4)}`, whole(counts['pairs'])],
  ];
}

function notesOf({ models, refusals, propensity }: Shown): string[] {
  const { file, weightShare, pairs } = propensity;
  return [
    ...(weightShare !== null && weightShare > 0
      ? [`Σw is ${decimal(weightShare, 3)} of the ${whole(pairs)} pairs.`]
      : []),
    ...(file === undefined ? [] : [`Weighted by learned propensities: ${fileWords(file)}.`]),
    ...models.map(
      ({ model, predicted, unpredicted }) =>
        `${model}: ${whole(predicted)} predicted, ${whole(unpredicted)} unpredicted.`,
    ),
    ...refusals.map(({ estimator, model, reason }) => {
      const of = model === undefined ? '' : ` of ${model}`;
      return `${estimator}${of} is not given: it ${reason}.`;
    }),
  ];
}
