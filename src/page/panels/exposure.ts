import { compact, decimal, isKnown } from '../../rows/figures.js';
import { Chart } from '../charts/chart.js';
import { faded, palette } from '../charts/colours.js';
import type { Line } from '../charts/line.js';
import { colourOf, drawnModels } from '../view.js';
import { chartHost, type Panel } from './panel.js';

/** f(n): exposures of an item by its popularity, on two log scales, with the line that γ is. */
export const EXPOSURE: Panel = {
  name: 'exposure',
  width: 4,
  title: 'Exposures by popularity, f(n)',
  note: 'Exposures per item against its popularity. The slope of the line is γ.',
  mount(box) {
    const chart = new Chart(chartHost(box, 'exposure'), {
      x: 'log',
      y: 'log',
      formatX: compact,
      formatY: compact,
      height: 240,
    });
    return (view) => {
      const { fits, fit } = view.tick.propensity;
      const colours = palette();
      const models = drawnModels(view).filter((model) => (fits[model]?.curve.length ?? 0) > 0);
      const names = models.length > 0 ? models : fits['*'] === undefined ? [] : ['*'];
      const bins = [
        ...new Set(names.flatMap((name) => fits[name].curve.map(({ level }) => level))),
      ].sort((a, b) => a - b);
      const levels = bins.map(middleOf);
      const lines = names.flatMap((name): Line[] => {
        const own = fits[name];
        const colour = name === '*' ? colours.ink : colours.of(colourOf(view, name));
        const at = new Map(
          own.curve.map(({ level, exposuresPerItem }) => [level, exposuresPerItem]),
        );
        const points = bins.map((bin) => positive(at.get(bin)));
        const { gamma, intercept } = own[fit];
        const line = levels.map((level) =>
          isKnown(gamma) && isKnown(intercept)
            ? positive(Math.exp(intercept + gamma * Math.log(level)))
            : null,
        );
        const label = name === '*' ? 'all models' : name;
        return [
          { label: '', colour: faded(colour, 0.7), values: line, width: 1.25, dash: [5, 3] },
          { label, colour, values: points, points: true },
        ];
      });
      chart.show(levels, lines);
      const gammas = names.map((name) => `${name} ${decimal(fits[name][fit].gamma, 2)}`);
      chart.describe(`Exposures per item by popularity, log scales; γ: ${gammas.join(', ')}`);
    };
  },
};

/** A bin reaches from its level to the double of it. */
function middleOf(level: number): number {
  return level * Math.SQRT2;
}

function positive(value: number | null | undefined): number | null {
  return isKnown(value) && value > 0 ? value : null;
}
