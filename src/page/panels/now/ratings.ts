import type { LiveTick } from '../../../adapters/http/schema/live-tick.js';
import { decimal, whole } from '../../../figures/figures.js';
import { fileWords } from '../../../findings/learned/file-words.js';
import { make } from '../../element.js';
import { type Panel, scrollBox } from '../panel.js';
import { table } from './table.js';

const TITLE = 'Predicted ratings';
const TITLES = ['Model', 'Metric', 'Estimator', 'Value', '95 % interval', 'Pairs'];
const CALIBRATION = 'Calibration of predictions';
const BINS = ['Model', 'Predicted', 'Those who rated', 'Corrected', 'Pairs'];

type Ratings = NonNullable<LiveTick['window']['ratings']>;

/** Errors of predicted ratings and their calibration; only if metrics of ratings are asked for. */
export const RATINGS: Panel = {
  width: 12,
  title: TITLE,
  note: 'Over all pairs, rated or not: users rate what they like, so plain errors are those on liked items.',
  mount(box) {
    const place = scrollBox(box, 'ratings', TITLE);
    const bins = scrollBox(box, 'calibration', CALIBRATION);
    const notes = make('ul', 'notes');
    box.append(notes);
    return (view) => {
      const { ratings } = view.tick.window;
      box.hidden = ratings === undefined;
      if (ratings === undefined) return;
      const { aggregation } = view.tick.chosen;
      const chosen = ratings.estimates.filter((row) => row.aggregation === aggregation);
      place.replaceChildren(table(TITLE, TITLES, chosen.map(cellsOf)));
      bins.replaceChildren(table(CALIBRATION, BINS, ratings.calibration.map(binOf)));
      notes.replaceChildren(...notesOf(ratings).map((text) => make('li', '', text)));
    };
  },
};

function cellsOf(row: Ratings['estimates'][number]): string[] {
  const { model, metric, k, estimator, value, lower, upper, events } = row;
  return [
    ...[model, k === null ? metric : `${metric}@${k}`, estimator, decimal(value, 4)],
    ...[`${decimal(lower, 4)} to ${decimal(upper, 4)}`, whole(events)],
  ];
}

function binOf({ model, predicted, rated, corrected, rows }: Ratings['calibration'][number]) {
  return [model, ...[predicted, rated, corrected].map((each) => decimal(each, 2)), whole(rows)];
}

function notesOf({ models, refusals, propensity: { file } }: Ratings): string[] {
  return [
    ...(file === undefined ? [] : [`Weighted by learned propensities: ${fileWords(file)}.`]),
    ...models
      .filter(({ unpredicted }) => unpredicted > 0)
      .map(
        ({ model, unpredicted }) => `${model} did not predict ${whole(unpredicted)} rated pairs.`,
      ),
    ...refusals.map(({ estimator, reason }) => `${estimator} is not given: it ${reason}.`),
  ];
}
