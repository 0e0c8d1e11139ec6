import type { LiveTick } from '../../../outputs/http/schema/live-tick.js';
import { make, setText } from '../../../page/element.js';
import { type Panel, placeBox, scrollBox } from '../../../page/panels/panel.js';
import { tableOf } from '../../../page/panels/table.js';
import { isKnown } from '../../../rows/figures.js';
import { withoutColumns } from '../../../rows/table.js';
import { reportsFromV1, rowsOf } from '../../output.js';
import { OUTPUTS } from '../../outputs.js';
import { leadingValues } from '../leading-values.js';
import { VALUE_DIFFERENCES_OUTPUT, VALUES_OUTPUT, valueTable } from '../output.js';
import { isOfValues } from '../value-reasons.js';

const CAPTION = 'Reward per request';

/**
 * Panel with a table of reward per request; shown only if exposures give the id of their request.
 */
export const REQUEST_VALUES: Panel = {
  name: 'request-values',
  width: 12,
  title: CAPTION,
  note: 'Reward per request if the model’s list were served. It also covers shadow models (never served).',
  mount(box) {
    const place = scrollBox(box, 'request-values', CAPTION);
    const refused = make('p', 'sentence');
    refused.id = 'request-values-refused';
    const notes = make('ul', 'notes');
    const more = make('details', 'reasons', make('summary', '', 'All cautions'));
    box.append(refused, notes, more);
    return (view) => {
      const { values: sent = [], valueDifferences: compared = [] } = view.tick.window;
      const values = VALUES_OUTPUT.fromV1(sent);
      const valueDifferences = VALUE_DIFFERENCES_OUTPUT.fromV1(compared);
      placeBox(box, 'values', values.length > 0, view);
      const leading = leadingValues(values);
      const all = valueTable(leading, valueDifferences);
      place.replaceChildren(tableOf(withoutColumns(all, ['form', '±'])));
      const about = view.tick.window.findings.filter(({ code }) => isOfValues(code));
      notes.replaceChildren(...about.map(({ text }) => make('li', '', text)));
      notes.hidden = about.length === 0;
      // Without any value, show the decisive reason instead of an empty table.
      const isGiven = leading.some(({ value }) => isKnown(value));
      place.hidden = !isGiven;
      refused.hidden = isGiven;
      more.hidden = isGiven || about.length === 0;
      setText(refused, isGiven ? '' : refusal(about, view.tick.window));
      if (isGiven) {
        box.insertBefore(notes, more);
      } else {
        more.append(notes);
      }
    };
  },
};

/** Reason why no value is reported, and what to look at instead. */
function refusal(about: readonly { readonly text: string }[], window: LiveTick['window']): string {
  const why = about[0]?.text ?? 'No value is reported.';
  const isShownWorth = rowsOf(OUTPUTS, reportsFromV1(OUTPUTS, window)).some(
    ({ family, value }) => family === 'on_policy' && isKnown(value),
  );
  return isShownWorth ? `${why} The reward per served list is reported below.` : why;
}
