import { Chart } from '../charts/chart.js';
import { faded, palette } from '../charts/colours.js';
import type { Line } from '../charts/line.js';
import { fixed, isKnown, percent, short } from '../format.js';
import { colourOf, shownModels, type View } from '../view.js';

const SHARES = Array.from({ length: 101 }, (_, n) => n / 100);

/** Lorenz curves: how much of everything the least popular part of the catalogue has. */
export function lorenzCurves(host: HTMLElement): (view: View) => void {
  const chart = new Chart(host, {
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
    for (const model of shownModels(view)) {
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
    chart.describe(`Lorenz curves; Gini of interactions ${fixed(gini, 3)}`);
  };
}

/** f(n): exposures of an item by its popularity, on two log scales, with the line that γ is. */
export function exposureCurve(host: HTMLElement): (view: View) => void {
  const chart = new Chart(host, {
    x: 'log',
    y: 'log',
    formatX: short,
    formatY: short,
    height: 240,
  });
  return (view) => {
    const { fits, fit } = view.tick.propensity;
    const colours = palette();
    const models = shownModels(view).filter((model) => (fits[model]?.curve.length ?? 0) > 0);
    const names = models.length > 0 ? models : fits['*'] === undefined ? [] : ['*'];
    const bins = [
      ...new Set(names.flatMap((name) => fits[name].curve.map(({ level }) => level))),
    ].sort((a, b) => a - b);
    const levels = bins.map(middleOf);
    const lines = names.flatMap((name): Line[] => {
      const own = fits[name];
      const colour = name === '*' ? colours.ink : colours.of(colourOf(view, name));
      const at = new Map(own.curve.map(({ level, exposuresPerItem }) => [level, exposuresPerItem]));
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
    const gammas = names.map((name) => `${name} ${fixed(fits[name][fit].gamma, 2)}`);
    chart.describe(`Exposures per item by popularity, log scales; γ: ${gammas.join(', ')}`);
  };
}

/** A bin reaches from its level to the double of it. */
function middleOf(level: number): number {
  return level * Math.SQRT2;
}

function positive(value: number | null | undefined): number | null {
  return isKnown(value) && value > 0 ? value : null;
}
