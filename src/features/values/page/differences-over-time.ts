import { Chart } from '../../../page/charts/chart.js';
import { palette } from '../../../page/charts/colours.js';
import type { Line } from '../../../page/charts/series-table.js';
import { chartHost, type Panel, placeBox } from '../../../page/panels/panel.js';
import { colourOf, drawnModels, shownPart } from '../../../page/view.js';
import { signed } from '../../../rows/figures.js';

const TITLE = 'Reward per request minus the control’s, over time';

/**
 * Panel with a chart of each model's reward per request minus the control's, with its interval;
 * shown only if there are differences.
 */
export const VALUE_DIFFERENCES: Panel = {
  name: 'value-differences',
  width: 12,
  title: TITLE,
  note: 'Each point is one window with its 95 % interval, so about 1 in 20 excludes 0 by chance. Gaps: windows without a comparison.',
  mount(box) {
    const chart = new Chart(chartHost(box, 'value-differences'), {
      x: 'time',
      formatY: (y) => signed(y, 3),
      includes: [0],
    });
    return (view) => {
      const { window } = view.tick.chosen;
      const differences = view.tick.window.valueDifferences ?? [];
      placeBox(box, 'values', differences.length > 0, view);
      const part = shownPart(view, view.tables.differences);
      const isShown = new Set(drawnModels(view));
      const lines = differences
        .filter(({ model }) => isShown.has(model))
        .map(({ model, reference, metric, k, estimator, aggregation }): Line => {
          const labels = {
            model,
            reference,
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
      chart.show(part.times, lines, view.marks);
      const newest = lines.map(({ label, values }) => `${label} ${signed(values.at(-1), 3)}`);
      const control = differences[0]?.reference ?? '';
      chart.describe(
        `Reward per request minus that of ${control} over time; newest: ${newest.join(', ')}`,
      );
    };
  },
};
