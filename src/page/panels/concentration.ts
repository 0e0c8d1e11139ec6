import { decimal, percent } from '../../rows/figures.js';
import type { Words } from '../../rows/findings/finding.js';
import { plainText, type Sentence } from '../../rows/findings/sentence.js';
import { concentrationTrend, TREND_WORDS } from '../../rows/findings/trend.js';
import { Chart } from '../charts/chart.js';
import { palette } from '../charts/colours.js';
import type { Line } from '../charts/series-table.js';
import { colourOf, drawnModels, shownPart, type View } from '../view.js';
import { chartHost, type Panel } from './panel.js';

const SHARES = Array.from({ length: 101 }, (_, n) => n / 100);

/**
 * Panel of Lorenz curves: fraction of interactions or exposures that belongs to the least popular
 * items.
 */
export const LORENZ: Panel = {
  name: 'lorenz',
  width: 4,
  title: 'Lorenz curves',
  note: 'Cumulative share of the counts, least popular items first. The further a curve is below the diagonal, the more concentrated the counts are.',
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
      const even = {
        label: '',
        colour: colours.muted,
        values: SHARES,
        dash: [2, 4],
        width: 1,
      };
      const lines: Line[] = [even];
      for (const model of drawnModels(view)) {
        const values = exposures[model] ?? [];
        if (values.length === 0) continue;
        const n = colourOf(view, model);
        lines.push({
          label: model,
          colour: colours.of(n),
          dash: colours.dash(n),
          values,
        });
      }
      if (interactions.length > 0) {
        const look = {
          colour: colours.ink,
          dash: [5, 3],
        };
        lines.push({
          label: 'interactions',
          ...look,
          values: interactions,
        });
      }
      chart.show(SHARES, lines);
      const gini = view.tick.popularity.interactions.gini;
      chart.describe(`Lorenz curves; Gini index of interactions: ${decimal(gini, 3)}`);
    };
  },
};

export const GINI: Panel = {
  name: 'gini',
  width: 6,
  title: 'Gini of popularity',
  note: (view) => `0: all items have the same count; 1: one item has everything. ${trendOf(view)}`,
  mount: (box) => concentration(chartHost(box, 'gini'), 'gini'),
};

/** Describe in words how popularity bias has changed over the shown time. */
function trendOf(view: View): string {
  const { times, column } = shownPart(view, view.tables.popularity);
  const series = view.tables.popularity.labels.map((labels) => ({
    model: labels['stream'] === 'interactions' ? null : String(labels['model']),
    values: column(labels, 'gini').map((value) => value ?? null),
  }));
  const found = concentrationTrend(times, series);
  const words: Words = TREND_WORDS;
  return plainText((words[found.code] as (finding: typeof found) => Sentence)(found));
}

export const TOP_SHARE: Panel = {
  name: 'top-share',
  width: 6,
  title: 'Share of the top 1 % of items',
  note: 'Share of exposures, and of interactions, that goes to the most popular 1 % of items.',
  mount: (box) => concentration(chartHost(box, 'top'), 'topShare'),
};

/**
 * Chart of the Gini index or the top share over time. It has a line for the interactions and one
 * for the exposures of each model.
 */
function concentration(host: HTMLElement, value: 'gini' | 'topShare'): (view: View) => void {
  const formatY = value === 'gini' ? (y: number) => decimal(y, 3) : (y: number) => percent(y, 1);
  const chart = new Chart(host, {
    x: 'time',
    formatY,
  });
  return (view) => {
    const part = shownPart(view, view.tables.popularity);
    const colours = palette();
    const interactions = part.column(
      {
        stream: 'interactions',
        model: null,
      },
      value,
    );
    const lines: Line[] = drawnModels(view).map((model) => {
      const n = colourOf(view, model);
      const values = part.column(
        {
          stream: 'exposures',
          model,
        },
        value,
      );
      return {
        label: model,
        colour: colours.of(n),
        dash: colours.dash(n),
        values,
      };
    });
    lines.push({
      label: 'interactions',
      colour: colours.ink,
      values: interactions,
      dash: [5, 3],
    });
    const shown = lines.filter(({ values }) => values.some((own) => typeof own === 'number'));
    chart.show(part.times, shown, view.marks);
    const name = value === 'gini' ? 'Gini' : 'Share of the top 1 %';
    const newest = shown.map((line) => `${line.label} ${formatY(line.values.at(-1) ?? 0)}`);
    chart.describe(`${name} over time; newest: ${newest.join(', ')}`);
  };
}
