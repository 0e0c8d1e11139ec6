import { UNCORRECTED } from '../../estimators/names.js';
import { decimal, isKnown, whole } from '../../rows/figures.js';
import { metricName } from '../../rows/words.js';
import type { View } from '../view.js';
import { placeBox } from './leading-panel.js';
import { type Panel, scrollBox } from './panel.js';
import { table } from './table.js';

const NAME = 'What users found by themselves';

/** The chosen metric without what shown lists caused; only where that is known. */
export const UNCAUSED: Panel = {
  name: 'uncaused',
  width: 6,
  title: ({ tick }) => `${NAME}: ${metricName(tick.chosen)}`,
  note: 'Estimated from the pairs that no shown list caused.',
  mount(box) {
    const place = scrollBox(box, 'uncaused', NAME);
    return (view) => {
      const lines = linesOf(view);
      placeBox(box, 'uncaused', lines.length > 0, view);
      const titles = ['Model', UNCORRECTED, view.estimator, '95 % interval', 'Eff. sample size'];
      place.replaceChildren(table(NAME, titles, lines));
    };
  },
};

function linesOf({ tick, estimator }: View): string[][] {
  const rows = tick.window.uncaused ?? [];
  return rows.flatMap((row) => {
    if (row.estimator !== estimator) return [];
    const plain = rows.find((own) => own.model === row.model && own.estimator === UNCORRECTED);
    const { value, lower, upper, ess } = row;
    return [
      [
        row.model,
        isKnown(plain?.value) ? decimal(plain.value, 4) : '–',
        isKnown(value) ? decimal(value, 4) : '–',
        isKnown(lower) && isKnown(upper) ? `${decimal(lower, 4)} to ${decimal(upper, 4)}` : '–',
        isKnown(ess) ? whole(ess) : '–',
      ],
    ];
  });
}
