import { percent } from '../../rows/figures.js';
import { make } from '../element.js';
import type { View } from '../view.js';
import { type Panel, scrollBox } from './panel.js';
import { table } from './table.js';

/** Weights by their size: what share of the events has them, and what share of the weight is theirs. */
export const WEIGHTS: Panel = {
  name: 'weights',
  width: 4,
  title: 'Importance weights',
  note: 'By size over the mean weight. A few events with most of the weight decide the estimate.',
  mount(box) {
    const place = scrollBox(box, 'weights', 'Importance weights');
    return (view) => place.replaceChildren(weightsTable(view));
  },
};

function weightsTable({ tick }: View): HTMLElement {
  const bins = tick.window.weightDistribution;
  const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
  if (rows === 0) return make('p', 'empty', 'No event has weight in this window.');
  const lines = bins.map(({ from, rows: own, weightShare }) => [
    `${power(from)}–${power(2 * from)} ×`,
    bar(own / rows, 'plain'),
    bar(weightShare ?? 0, 'strong'),
  ]);
  return table('Importance weights', ['Weight', 'of events', 'of weight'], lines);
}

function power(value: number): string {
  return value >= 1 ? String(value) : `1/${Math.round(1 / value)}`;
}

function bar(share: number, kind: string): HTMLElement {
  const fill = make('span', `fill ${kind}`);
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return make(
    'span',
    'bar',
    make('span', 'track', fill),
    make('span', 'figure', percent(share, 1)),
  );
}
