import { whole } from '../../rows/figures.js';
import { FEW_USERS } from '../../rows/findings/thresholds.js';
import { Chart } from '../charts/chart.js';
import { palette } from '../charts/colours.js';
import type { Line } from '../charts/line.js';
import { colourOf, drawnModels, shownPart } from '../view.js';
import { chartHost, type Panel } from './panel.js';

/** Effective users of the chosen estimator, with the size below which nothing should be decided. */
export const SAMPLES: Panel = {
  name: 'samples',
  width: 4,
  title: ({ estimator }) => `Effective sample size of ${estimator}`,
  note: `How many equally weighted users the estimate is worth. Below ${FEW_USERS}, decide nothing on it.`,
  mount(box) {
    const chart = new Chart(chartHost(box, 'samples'), {
      x: 'time',
      formatY: whole,
      includes: [0],
    });
    return (view) => {
      const part = shownPart(view, view.tables.samples);
      const colours = palette();
      const { window } = view.tick.chosen;
      const lines: Line[] = drawnModels(view).map((model) => {
        const n = colourOf(view, model);
        const values = part.column({ model, estimator: view.estimator, window }, 'users');
        return { label: model, colour: colours.of(n), dash: colours.dash(n), values };
      });
      const floor = part.times.map(() => FEW_USERS);
      lines.push({
        label: 'too few',
        colour: colours.warn,
        values: floor,
        dash: [3, 3],
        width: 1.25,
      });
      chart.show(part.times, lines, [...view.marks, ...view.sourceMarks]);
      const newest = lines.map(({ label, values }) => `${label} ${whole(values.at(-1))}`);
      chart.describe(`Effective users over time; newest: ${newest.join(', ')}`);
    };
  },
};
