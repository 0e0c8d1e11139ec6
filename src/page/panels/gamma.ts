import { decimal } from '../../rows/figures.js';
import { GAMMA_SOURCE_WORDS, GAMMA_STATUS_WORDS } from '../../rows/words.js';
import { Chart } from '../charts/chart.js';
import { faded, palette } from '../charts/colours.js';
import type { Line } from '../charts/line.js';
import { colourOf, drawnModels, shownPart, type View } from '../view.js';
import { chartHost, type Panel } from './panel.js';

/** γ that is used, with its error, and the fit of each model. */
export const GAMMA: Panel = {
  name: 'gamma',
  width: 4,
  title: 'Presentation bias γ',
  note: usedNow,
  mount(box) {
    const chart = new Chart(chartHost(box, 'gamma'), { x: 'time', formatY: (y) => decimal(y, 2) });
    return (view) => {
      const part = shownPart(view, view.tables.propensity);
      const { fit, gamma, fits } = view.tick.propensity;
      const colours = palette();
      const models = drawnModels(view).filter((model) => fits[model]?.status === 'ok');
      const lines: Line[] = models.map((model) => {
        const n = colourOf(view, model);
        const colour = faded(colours.of(n), 0.75);
        return { label: model, colour, values: part.column({ model, fit }, 'gamma'), width: 1.25 };
      });
      const used = part.column({ model: '*', fit: 'used' }, 'gamma');
      const error = part.column({ model: '*', fit: 'used' }, 'stdErr');
      const edge = (side: number) =>
        used.map((own, t) => (typeof own === 'number' ? own + side * 1.96 * (error[t] ?? 0) : own));
      const band = { lower: edge(-1), upper: edge(1) };
      lines.push({ label: 'used', colour: colours.ink, values: used, width: 2.5, band });
      chart.show(part.times, lines, [...view.marks, ...view.sourceMarks]);
      chart.describe(`γ over time; used now: ${decimal(gamma, 3)}`);
    };
  },
};

function usedNow({ tick: { propensity } }: View): string {
  const status = propensity.fits['*']?.status ?? 'stale';
  const source = GAMMA_SOURCE_WORDS[propensity.source];
  const asking = propensity.auto?.asking;
  const soon = asking === undefined ? '' : `, may soon be ${GAMMA_SOURCE_WORDS[asking.source]}`;
  return `γ = ${decimal(propensity.gamma, 3)}, ${source}${soon}; ${GAMMA_STATUS_WORDS[status]}`;
}
