import type { RatingEstimate } from '../../../estimators/ratings/window/rating-report.js';
import { decimal, whole } from '../../../figures/figures.js';
import { fileWords } from '../../../findings/learned/file-words.js';
import type { WindowSnapshot } from '../../../stream/snapshot.js';
import { printable } from '../terminal.js';

const HEAD = ['metric', 'estimator', 'pooled', '95 % interval', 'by user', '95 % interval'];
const WIDTHS = [16, 11, 10, 20, 10, 20];

/** Metrics of ratings, a line for each model, measure and estimator; none if none is asked for. */
export function ratingLines({ ratings }: WindowSnapshot): string[] {
  if (ratings === undefined) return [];
  const { counts, models, estimates, refusals, propensity } = ratings;
  const { file } = propensity;
  return [
    '',
    `Ratings: ${whole(counts.rated)} pairs that ${whole(counts.users)} users chose to rate, ` +
      `${whole(counts.random)} at random; ${whole(counts.offScale)} off the scale`,
    ...(propensity.weightShare > 0
      ? [
          `weights: Σw is ${decimal(propensity.weightShare, 3)} of the ${whole(propensity.pairs)} pairs`,
        ]
      : []),
    ...(file === undefined ? [] : [`propensities: ${fileWords(file)}`]),
    ...models.flatMap(({ model, predicted, unpredicted }) => {
      const own = estimates.filter((row) => row.model === model);
      const counted = `${whole(predicted)} predicted, ${whole(unpredicted)} unpredicted`;
      const head = own.length === 0 ? [] : [line(HEAD)];
      return ['', `${printable(model)}: ${counted}`, ...head, ...byForm(own).map(line)];
    }),
    ...refusals.map(({ estimator, model, reason }) => {
      const of = model === undefined ? '' : ` of ${printable(model)}`;
      return `${estimator} of ratings${of} is not given: it ${reason}.`;
    }),
  ];
}

/** Both aggregations of a measure side by side. */
function byForm(rows: readonly RatingEstimate[]): string[][] {
  return rows
    .filter(({ aggregation }) => aggregation === 'pooled')
    .map((pooled) => {
      const { metric, k, estimator } = pooled;
      const user = rows.find(
        (row) =>
          row.aggregation === 'user' &&
          row.metric === metric &&
          row.k === k &&
          row.estimator === estimator,
      );
      const measure = k === null ? metric : `${metric}@${k}`;
      return [
        measure,
        estimator,
        ...cells(pooled),
        ...(user === undefined ? ['–', '–'] : cells(user)),
      ];
    });
}

function cells({ value, lower, upper }: RatingEstimate): string[] {
  return [decimal(value, 4), `${decimal(lower, 4)} to ${decimal(upper, 4)}`];
}

function line(row: readonly string[]): string {
  return `  ${row.map((cell, c) => (c < 2 ? cell.padEnd(WIDTHS[c]) : cell.padStart(WIDTHS[c]))).join('')}`;
}
