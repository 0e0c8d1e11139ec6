import { decimal, percent } from '../../rows/figures.js';
import { Chart } from '../charts/chart.js';
import { palette } from '../charts/colours.js';
import type { Line } from '../charts/line.js';
import { colourOf, drawnModels } from '../view.js';
import { chartHost, type Panel } from './panel.js';

const SHARES = Array.from({ length: 101 }, (_, n) => n / 100);

/** How much of everything the least popular part of the catalogue has. */
export const LORENZ: Panel = {
  name: 'lorenz',
  width: 4,
  title: 'Lorenz curves',
  note: 'What the least popular part of the catalogue gets. The further below the diagonal, the less even.',
  mount(box) {
    const chart = new Chart(chartHost(box, 'lorenz'), {
      x: 'linear',
      formatX: (x) => percent(x),
      formatY: (y) => percent(y),
      includes: [0, 1],
      height: 240,
    });
    return (view) => {
      const colours = palette();
      const { interactions, exposures } = view.tick.lorenz;
      const even = { label: '', colour: colours.muted, values: SHARES, dash: [2, 4], width: 1 };
      const lines: Line[] = [even];
      for (const model of drawnModels(view)) {
        const values = exposures[model] ?? [];
        if (values.length === 0) continue;
        const n = colourOf(view, model);
        lines.push({ label: model, colour: colours.of(n), dash: colours.dash(n), values });
      }
      if (interactions.length > 0) {
        const look = { colour: colours.ink, dash: [5, 3] };
        lines.push({ label: 'interactions', ...look, values: interactions });
      }
      chart.show(SHARES, lines);
      const gini = view.tick.popularity.interactions.gini;
      chart.describe(`Lorenz curves; Gini of interactions ${decimal(gini, 3)}`);
    };
  },
};
