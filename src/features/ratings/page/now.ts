import type { LiveTick } from '../../../outputs/http/schema/live-tick.js';
import { palette } from '../../../page/charts/colours.js';
import { make } from '../../../page/element.js';
import { type Panel, scrollBox } from '../../../page/panels/panel.js';
import { sentenceNodes, tableOf } from '../../../page/panels/table.js';
import { colourOf, drawnModels, type View } from '../../../page/view.js';
import { isOfRatingFile } from '../findings.js';
import { RATINGS_OUTPUT } from '../output.js';
import { calibrationChart, calibrationScale } from './calibration-chart.js';

const TITLE = 'Predicted ratings';
const CALIBRATION = 'Calibration of predictions';
const { section, fromV1 } = RATINGS_OUTPUT;

type Ratings = NonNullable<LiveTick['window']['ratings']>;

/** Panel of rating metrics and calibration; hidden if no rating metrics are configured. */
export const RATINGS: Panel = {
  name: 'ratings',
  width: 12,
  title: TITLE,
  note: 'Estimated for all pairs, rated or not. Users rate what they like, so uncorrected errors are mostly errors on liked items.',
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
      const shown = section(fromV1(ratings), (row) => row.form === aggregation);
      const [estimates, calibration] = shown.blocks.flatMap(({ tables }) => tables);
      place.replaceChildren(tableOf(estimates));
      bins.replaceChildren(tableOf(calibration));
      charts.replaceChildren(...chartsOf(ratings, view));
      const found = view.tick.window.findings.filter(({ code }) => isOfRatingFile(code));
      const said = [...(shown.notes ?? []), ...found.map(({ text }) => [text])];
      notes.replaceChildren(...said.map((words) => make('li', '', ...sentenceNodes(words))));
    };
  },
};

/** A calibration chart for each model selected on the page. The table below lists all models. */
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
  const words = ['rating given', 'corrected for who rates what'];
  return make('p', 'key', hollow, words[0], make('span', 'dot'), words[1]);
}
