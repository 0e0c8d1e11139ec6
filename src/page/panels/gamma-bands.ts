import { UNCORRECTED } from '../../estimators/names.js';
import { decimal, isKnown } from '../../rows/figures.js';
import { metricName } from '../../rows/words.js';
import { make } from '../element.js';
import type { View } from '../view.js';
import { type Panel, scrollBox } from './panel.js';
import { table } from './table.js';

/** What other values of γ would make of each model's estimate, and where models change places. */
export const GAMMA_BANDS: Panel = {
  name: 'gamma-bands',
  width: 4,
  title: ({ tick }) => `${metricName(tick.chosen)} at other values of γ`,
  note: 'Snips over all events: γ = −1 is naive, γ = 1 gives all items the same relevance.',
  mount(box) {
    const place = scrollBox(box, 'gamma-bands', 'Estimates at other values of γ');
    return (view) => place.replaceChildren(...bands(view));
  },
};

function bands({ tick }: View): HTMLElement[] {
  const { sensitivity } = tick.window;
  if (sensitivity === null) {
    return [make('p', 'empty', 'No model has an estimate of this metric that γ moves.')];
  }
  const figure = (value: number | null) => (isKnown(value) ? decimal(value, 4) : '–');
  const lines = sensitivity.bands.map(
    ({ model, [UNCORRECTED]: uncorrected, equal, lower, upper }) => [
      model,
      figure(uncorrected),
      figure(equal),
      `${figure(lower)}–${figure(upper)}`,
    ],
  );
  const flips = sensitivity.flips.map(({ below, above, gamma }) =>
    make('li', '', `${below} and ${above} change places at γ = ${decimal(gamma, 2)}`),
  );
  const titles = ['Model', 'γ = −1', 'γ = 1', 'range'];
  const found = table('Estimates at other values of γ', titles, lines);
  return flips.length === 0 ? [found] : [found, make('ul', 'flips', ...flips)];
}
