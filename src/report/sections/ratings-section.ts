import type {
  CalibrationBin,
  RatingEstimate,
} from '../../estimators/ratings/window/rating-report.js';
import { decimal, whole } from '../../figures/figures.js';
import { fileWords } from '../../findings/learned/file-words.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named } from '../markup.js';
import { calibrationPlots } from '../plots/calibration-plot.js';
import { table } from '../table.js';

const HEAD = ['model', 'metric', 'estimator', 'mean over', 'value', '95 % interval', 'pairs'];
const CALIBRATION_HEAD = ['model', 'predicted', 'those who rated', 'corrected', 'pairs'];

/** Metrics of ratings and the calibration of predictions; null if nobody asks for ratings. */
export function ratingsSection({ ratings }: WindowSnapshot): Markup | null {
  if (ratings === undefined) return null;
  const { counts, estimates, calibration, refusals, models, propensity } = ratings;
  return html`<section aria-labelledby="ratings">
<h2 id="ratings">Predicted ratings</h2>
<p class="lead">${whole(counts.rated)} pairs that ${whole(counts.users)} users chose to rate, ${whole(counts.random)} that they were asked to rate at random; ${whole(counts.offScale)} interactions whose value is no rating. Users rate what they like, so the plain errors are those on liked items.</p>
${propensity.file === undefined ? '' : html`<p>Weighted by learned propensities: ${fileWords(propensity.file)}.</p>`}
${models.map(({ model, predicted, unpredicted }) => html`<p>${named(model)}: ${whole(predicted)} predicted, ${whole(unpredicted)} unpredicted.</p>`)}
${refusals.map(({ estimator, reason }) => html`<p>${estimator} is not given: it ${reason}.</p>`)}
${table('Metrics of ratings', HEAD, estimates.map(rowOf))}
<h3>Calibration</h3>
<p class="lead">By fifths of its predictions: the mean that a model predicted, the mean rating of those who rated, and the same corrected for who rates what.</p>
${calibrationPlots(calibration)}${table('Calibration of predictions', CALIBRATION_HEAD, calibration.map(binOf))}</section>
`;
}

function rowOf(row: RatingEstimate) {
  const { model, metric, k, estimator, aggregation, value, lower, upper, events } = row;
  return {
    heading: html`${named(model)}`,
    cells: [
      ...[k === null ? metric : `${metric}@${k}`, estimator],
      ...[aggregation === 'user' ? 'users' : 'pairs', html`<b>${decimal(value, 4)}</b>`],
      ...[`${decimal(lower, 4)} to ${decimal(upper, 4)}`, whole(events)],
    ],
  };
}

function binOf({ model, predicted, rated, corrected, rows }: CalibrationBin) {
  return {
    heading: html`${named(model)}`,
    cells: [...[predicted, rated, corrected].map((each) => decimal(each, 2)), whole(rows)],
  };
}
