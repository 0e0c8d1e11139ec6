import { SHOWN_LISTS } from '../../../estimators/names.js';
import { Chart } from '../../../page/charts/chart.js';
import { palette } from '../../../page/charts/colours.js';
import type { Line } from '../../../page/charts/series-table.js';
import { chartHost, type Panel, placeBox } from '../../../page/panels/panel.js';
import { colourOf, drawnModels, shownPart } from '../../../page/view.js';
import { decimal } from '../../../rows/figures.js';

/**
 * Chart of the reward per served list over time, with its interval; shown only if interactions are
 * attributed to lists by id.
 */
export const REWARDS: Panel = {
  name: 'rewards-over-time',
  width: 6,
  title: 'Reward per served list over time',
  note: 'Mean reward of the lists that each model served, with its 95 % interval.',
  mount(box) {
    const chart = new Chart(chartHost(box, 'rewards'), {
      x: 'time',
      formatY: (y) => decimal(y, 3),
      includes: [0],
    });
    return (view) => {
      const { window } = view.tick.chosen;
      const values = view.tick.window.onPolicy?.values ?? [];
      placeBox(box, 'on_policy', values.length > 0, view);
      const part = shownPart(view, view.tables.estimates);
      const lines = drawnModels(view).map((model): Line => {
        const of = (value: string) =>
          part.column(
            {
              model,
              ...SHOWN_LISTS,
              k: null,
              window,
            },
            value,
          );
        const n = colourOf(view, model);
        const band = {
          lower: of('lower'),
          upper: of('upper'),
        };
        return {
          label: model,
          colour: palette().of(n),
          dash: palette().dash(n),
          values: of('value'),
          band,
        };
      });
      chart.show(part.times, lines, view.marks);
      const newest = lines.map(({ label, values }) => `${label} ${decimal(values.at(-1), 3)}`);
      chart.describe(`Reward per served list over time; newest: ${newest.join(', ')}`);
    };
  },
};
