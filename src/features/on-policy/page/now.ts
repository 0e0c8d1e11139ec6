import { placeBox } from '../../../page/panels/leading-panel.js';
import { type Panel, scrollBox } from '../../../page/panels/panel.js';
import { table } from '../../../page/panels/table.js';
import { decimal, isKnown, whole } from '../../../rows/figures.js';

const TITLES = ['Model', 'Reward of a list', '95 % interval', 'Lists', 'Users'];

/** What shown lists are worth; only where causes are followed and interactions name lists. */
export const SHOWN_LISTS: Panel = {
  name: 'shown-lists',
  width: 6,
  title: 'What shown lists are worth',
  note: 'By the interactions that name a list, of the models that were shown. Popularity does not bias it.',
  mount(box) {
    const place = scrollBox(box, 'shown-lists', 'What shown lists are worth');
    return (view) => {
      const values = view.tick.window.onPolicy?.values ?? [];
      placeBox(box, 'on_policy', values.length > 0, view);
      const lines = values.map(({ model, value, lower, upper, lists, users }) => [
        model,
        isKnown(value) ? decimal(value, 4) : '–',
        isKnown(lower) && isKnown(upper) ? `${decimal(lower, 4)} to ${decimal(upper, 4)}` : '–',
        whole(lists),
        whole(users),
      ]);
      place.replaceChildren(table('What shown lists are worth', TITLES, lines));
    };
  },
};
