import { compact, decimal, isKnown } from '../../rows/figures.js';
import { GAMMA_SOURCE_WORDS, GAMMA_STATUS_WORDS } from '../../rows/words.js';
import { Chart } from '../charts/chart.js';
import { faded, palette } from '../charts/colours.js';
import type { Line } from '../charts/series-table.js';
import { colourOf, drawnModels, shownPart, type View } from '../view.js';
import { chartHost, type Panel } from './panel.js';

/**
 * Panel of f(n), the exposures per item by popularity n, on log-log axes. γ is the slope of the
 * line.
 */
export const EXPOSURE: Panel = {
  name: 'exposure',
  width: 4,
  title: 'Exposures by popularity, f(n)',
  note: 'Exposures per item against the popularity of the item. The slope of the line is γ.',
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
          {
            label: '',
            colour: faded(colour, 0.7),
            values: line,
            width: 1.25,
            dash: [5, 3],
          },
          {
            label,
            colour,
            values: points,
            points: true,
          },
        ];
      });
      chart.show(levels, lines);
      const gammas = names.map((name) => `${name} ${decimal(fits[name][fit].gamma, 2)}`);
      chart.describe(`Exposures per item by popularity, log scales; γ: ${gammas.join(', ')}`);
    };
  },
};

/** Geometric middle of a bin of popularity. The bin extends from `level` to twice `level`. */
function middleOf(level: number): number {
  return level * Math.SQRT2;
}

function positive(value: number | null | undefined): number | null {
  return isKnown(value) && value > 0 ? value : null;
}

/** Panel of the γ in use with its error, and of the fits by model, over time. */
export const GAMMA: Panel = {
  name: 'gamma',
  width: 4,
  title: 'Presentation bias γ',
  note: usedNow,
  mount(box) {
    const chart = new Chart(chartHost(box, 'gamma'), {
      x: 'time',
      formatY: (y) => decimal(y, 2),
    });
    return (view) => {
      const part = shownPart(view, view.tables.propensity);
      const { fit, gamma, fits } = view.tick.propensity;
      const colours = palette();
      const models = drawnModels(view).filter((model) => fits[model]?.status === 'ok');
      const lines: Line[] = models.map((model) => {
        const n = colourOf(view, model);
        const colour = faded(colours.of(n), 0.75);
        return {
          label: model,
          colour,
          values: part.column({ model, fit }, 'gamma'),
          width: 1.25,
        };
      });
      const used = part.column(
        {
          model: '*',
          fit: 'used',
        },
        'gamma',
      );
      const error = part.column(
        {
          model: '*',
          fit: 'used',
        },
        'stdErr',
      );
      const edge = (side: number) =>
        used.map((own, t) => (typeof own === 'number' ? own + side * 1.96 * (error[t] ?? 0) : own));
      const band = {
        lower: edge(-1),
        upper: edge(1),
      };
      lines.push({
        label: 'used',
        colour: colours.ink,
        values: used,
        width: 2.5,
        band,
      });
      chart.show(part.times, lines, [...view.marks, ...view.sourceMarks]);
      chart.describe(`γ over time; in use now: ${decimal(gamma, 3)}`);
    };
  },
};

function usedNow({ tick: { propensity } }: View): string {
  const status = propensity.fits['*']?.status ?? 'stale';
  const source = GAMMA_SOURCE_WORDS[propensity.source];
  const asking = propensity.auto?.asking;
  const soon =
    asking === undefined ? '' : `, may soon change to ${GAMMA_SOURCE_WORDS[asking.source]}`;
  return `γ = ${decimal(propensity.gamma, 3)}, ${source}${soon}; ${GAMMA_STATUS_WORDS[status]}`;
}
