import { html, type Markup } from './markup.js';
import { lineLegend, pathThrough, plot, SERIES } from './plot.js';

export interface LorenzCurve {
  readonly name: Markup | string;
  /**
   * Lorenz curve. Each value is the fraction of all counts that belongs to the least popular part
   * of the catalogue. That part grows in equal steps from nothing to all of the catalogue.
   */
  readonly shares: readonly number[];
}

const QUARTERS = [0, 0.25, 0.5, 0.75, 1].map((at) => ({
  at,
  label: `${100 * at} %`,
}));

/** Draw Lorenz curves and the diagonal, which stands for equal counts. */
export function lorenzPlot(curves: readonly LorenzCurve[], of?: 'items' | 'users'): Markup {
  const drawn = curves.filter(({ shares }) => shares.length > 1);
  const paths = drawn.map(({ shares }, s) => {
    const points = shares.map((share, p) => [p / (shares.length - 1), share] as const);
    return html`<path class="series s${s % SERIES}" d="${pathThrough(points)}"/>`;
  });
  const even = html`<path class="even" d="${pathThrough([
    [0, 0],
    [1, 1],
  ])}"/>`;
  const frame = {
    title:
      of === undefined
        ? 'Lorenz curves of interactions and of each model’s exposures'
        : `Lorenz curves of ${of}: the whole part, and the expected test set`,
    x: {
      title: `share of the ${of ?? 'catalogue'}, least popular first`,
      ticks: QUARTERS,
    },
    y: {
      title: 'cumulative share of the counts',
      ticks: QUARTERS,
    },
  };
  return html`${plot(frame, [even, ...paths])}${lineLegend(drawn.map(({ name }) => name))}`;
}
