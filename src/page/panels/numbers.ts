import { decimal, whole } from '../../rows/figures.js';
import { isTooFew } from '../../rows/findings/sample.js';
import { metricName } from '../../rows/words.js';
import { make } from '../element.js';
import { shownModels, type View } from '../view.js';
import { type Panel, scrollBox } from './panel.js';
import { type Cell, table } from './table.js';

/** Every estimator of the chosen metric, with its error and its effective users. */
export const NUMBERS: Panel = {
  name: 'numbers',
  width: 12,
  title: ({ tick }) => `All estimators, ${metricName(tick.chosen)}`,
  note: 'Value, standard error, effective sample size (users).',
  mount(box) {
    const place = scrollBox(box, 'numbers', 'All estimators', 'many');
    return (view) => place.replaceChildren(numbersTable(view));
  },
};

function numbersTable(view: View): HTMLTableElement {
  const { estimates, truth } = view.tick.window;
  const { estimators } = view.tick.offered;
  const models = [...shownModels(view)];
  const { baseline } = view.tick;
  if (baseline !== null && view.choice.model === '') models.push(baseline);
  const titles = ['Model', ...estimators, ...(truth.length > 0 ? ['true'] : [])];
  const lines = models.map((model): Cell[] => {
    const cells = estimators.map((estimator): Cell => {
      const row = estimates.find((own) => own.model === model && own.estimator === estimator);
      if (row === undefined) return '–';
      const note = `± ${decimal(row.stdErr, 4)} · size ${whole(row.ess)}`;
      const isFew = isTooFew(row.ess);
      const small = make('small', isFew ? 'few' : '', isFew ? `${note}, too few` : note);
      return make('span', '', decimal(row.value, 4), small);
    });
    const known = truth.find((row) => row.model === model)?.value;
    return [model, ...cells, ...(truth.length > 0 ? [decimal(known, 4)] : [])];
  });
  return table('Estimates of the chosen metric', titles, lines);
}
