import { onPolicyTable } from '../../../outputs/sections/values.js';
import { listsFromV1 } from '../../../outputs/window-rows.js';
import { placeBox } from '../../../page/panels/leading-panel.js';
import { tablePanel } from '../../../page/panels/tables.js';
import { withoutColumns } from '../../../rows/table.js';

/** What shown lists are worth; only where causes are followed and interactions name lists. */
export const SHOWN_LISTS = tablePanel({
  name: 'shown-lists',
  width: 6,
  title: 'What shown lists are worth',
  note: 'By the interactions that name a list, of the models that were shown. Popularity does not bias it.',
  label: 'What shown lists are worth',
  show(view, box) {
    const rows = listsFromV1(view.tick.window).onPolicy?.values ?? [];
    placeBox(box, 'on_policy', rows.length > 0, view);
    return withoutColumns(onPolicyTable(rows), ['±']);
  },
});
