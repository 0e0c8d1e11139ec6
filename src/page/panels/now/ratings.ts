import type { LiveTick } from '../../../adapters/http/schema/live-tick.js';
import { decimal, whole } from '../../../figures/figures.js';
import { fileWords } from '../../../findings/learned/file-words.js';
import { isOfRatingFile } from '../../../findings/learned/rating-file.js';
import { calibrationChart, calibrationScale } from '../../charts/calibration.js';
import { palette } from '../../charts/colours.js';
import { make } from '../../element.js';
import { colourOf, drawnModels, type View } from '../../view.js';
import { type Panel, scrollBox } from '../panel.js';
import { table } from './table.js';

const TITLE = 'Predicted ratings';
const TITLES = ['Model', 'Metric', 'Estimator', 'Value', '95 % interval', 'Pairs'];
const CALIBRATION = 'Calibration of predictions';
const BINS = ['Model', 'Predicted', 'Those who rated', 'Corrected', 'Pairs'];

type Ratings = NonNullable<LiveTick['window']['ratings']>;

/** Errors of predicted ratings and their calibration; only if metrics of ratings are asked for. */
export const RATINGS: Panel = {
  name: 'ratings',
  width: 12,
  title: TITLE,
  note: 'Over all pairs, rated or not: users rate what they like, so plain errors are those on liked items.',
  mount(box) {
    const place = scrollBox(box, 'ratings', TITLE);
    const charts = make('div', 'multiples');
    charts.id = 'chart-calibration';
    box.append(make('h3', '', CALIBRATION), charts, keyOfCharts());
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
      charts.replaceChildren(...chartsOf(ratings, view));
      bins.replaceChildren(table(CALIBRATION, BINS, ratings.calibration.map(binOf)));
      const found = view.tick.window.findings.filter(({ code }) => isOfRatingFile(code));
      const told = [...notesOf(ratings), ...found.map(({ text }) => text)];
      notes.replaceChildren(...told.map((text) => make('li', '', text)));
    };
  },
};

/** A chart for each model that is drawn elsewhere too; the table below has them all. */
function chartsOf({ calibration }: Ratings, view: View): HTMLElement[] {
  const drawn = drawnModels(view).map((model) => ({
    model,
    bins: calibration.filter((bin) => bin.model === model),
  }));
  const scale = calibrationScale(drawn.flatMap(({ bins }) => bins));
  const colours = palette();
  return drawn
    .filter(({ bins }) => bins.length > 0)
    .map(({ model, bins }) => {
      const colour = colours.of(colourOf(view, model));
      const chart = calibrationChart(model, bins, scale, { colour, colours });
      return make('figure', '', make('figcaption', '', model), chart);
    });
}

function keyOfCharts(): HTMLElement {
  const hollow = make('span', 'dot hollow');
  const words = ['those who rated', 'corrected for who rates what'];
  return make('p', 'key', hollow, words[0], make('span', 'dot'), words[1]);
}

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
