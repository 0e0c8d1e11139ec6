import { placeBox } from '../../../page/panels/panel.js';
import { tablePanel } from '../../../page/panels/tables.js';
import { withoutColumns } from '../../../rows/table.js';
import { ON_POLICY_OUTPUT, onPolicyTable } from '../output.js';

/**
 * Panel with the reward per served list; shown only if interactions are attributed to lists by id.
 */
export const SHOWN_LISTS = tablePanel({
  name: 'shown-lists',
  width: 6,
  title: 'Reward per served list',
  note: 'Mean reward of the lists that each model served, from the interactions that have a list’s id. Popularity does not bias it.',
  label: 'Reward per served list',
  show(view, box) {
    const { onPolicy } = view.tick.window;
    const rows = onPolicy ? ON_POLICY_OUTPUT.fromV1(onPolicy).values : [];
    placeBox(box, 'on_policy', rows.length > 0, view);
    return withoutColumns(onPolicyTable(rows), ['±']);
  },
});
