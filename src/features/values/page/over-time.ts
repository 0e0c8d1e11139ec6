import { Chart } from '../../../page/charts/chart.js';
import { palette } from '../../../page/charts/colours.js';
import type { Line } from '../../../page/charts/series-table.js';
import { chartHost, type Panel, placeBox } from '../../../page/panels/panel.js';
import { colourOf, drawnModels, shownPart } from '../../../page/view.js';
import { decimal, isKnown } from '../../../rows/figures.js';
import { leadingValues } from '../leading-values.js';

const TITLE = 'Reward per request over time';

/**
 * Panel with a chart of reward per request and its interval; shown only if exposures give the id of
 * their request.
 */
export const VALUES: Panel = {
  name: 'values-over-time',
  width: 12,
  title: TITLE,
  note: 'What a request would earn if the model’s list were served, with the 95 % interval. Gaps: windows without a value.',
  mount(box) {
    const chart = new Chart(chartHost(box, 'values'), {
      x: 'time',
      formatY: (y) => decimal(y, 3),
      includes: [0],
    });
    return (view) => {
      const { window } = view.tick.chosen;
      const leading = leadingValues(view.tick.window.values ?? []);
      const part = shownPart(view, view.tables.estimates);
      const isShown = new Set(drawnModels(view));
      const lines = leading
        .filter(({ model }) => isShown.has(model))
        .map(({ model, metric, k, estimator, aggregation }): Line => {
          const labels = {
            model,
            metric,
            k,
            estimator,
            aggregation,
            window,
          };
          const of = (value: string) => part.column(labels, value);
          const n = colourOf(view, model);
          return {
            label: model,
            colour: palette().of(n),
            dash: palette().dash(n),
            values: of('value'),
            band: {
              lower: of('lower'),
              upper: of('upper'),
            },
          };
        });
      const isGiven = lines.some(({ values }) => values.some(isKnown));
      placeBox(box, 'values', isGiven, view);
      if (!isGiven) return;
      chart.show(part.times, lines, view.marks);
      const newest = lines.map(({ label, values }) => `${label} ${decimal(values.at(-1), 3)}`);
      chart.describe(`${TITLE}; newest: ${newest.join(', ')}`);
    };
  },
};
