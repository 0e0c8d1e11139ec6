import type { LiveTick } from '../../../outputs/http/schema/live-tick.js';
import { listsFromV1 } from '../../../outputs/window-rows.js';
import { make, setText } from '../../../page/element.js';
import { placeBox } from '../../../page/panels/leading-panel.js';
import { type Panel, scrollBox } from '../../../page/panels/panel.js';
import { table } from '../../../page/panels/table.js';
import { isKnown, percent, whole } from '../../../rows/figures.js';
import type { Difference, Row, Wire } from '../../../rows/row.js';
import { leadingValues } from '../leading-values.js';
import { isOfValues } from '../value-reasons.js';
import {
  VALUE_STANDINGS,
  valueStanding,
  writtenDifference,
  writtenValue,
} from '../value-standing.js';

const CAPTION = 'What lists are worth by requests';
const TITLES = ['Model', 'Reward of a request', '95 % interval', 'Covered', 'Requests', 'Use it'];

type ValueRow = Wire<Row>;
type DifferenceRow = Wire<Difference>;

/** What lists are worth by requests; only where exposures name theirs. */
export const REQUEST_VALUES: Panel = {
  name: 'request-values',
  width: 12,
  title: CAPTION,
  note: 'What a request would earn if the model’s list were served, also where it was shown to nobody.',
  mount(box) {
    const place = scrollBox(box, 'request-values', CAPTION);
    const refused = make('p', 'sentence');
    refused.id = 'request-values-refused';
    const notes = make('ul', 'notes');
    const more = make('details', 'reasons', make('summary', '', 'All that speaks against them'));
    box.append(refused, notes, more);
    return (view) => {
      const { values = [], valueDifferences = [] } = listsFromV1(view.tick.window);
      placeBox(box, 'values', values.length > 0, view);
      const leading = leadingValues(values);
      place.replaceChildren(valueTable(leading, valueDifferences));
      const about = view.tick.window.findings.filter(({ code }) => isOfValues(code));
      notes.replaceChildren(...about.map(({ text }) => make('li', '', text)));
      notes.hidden = about.length === 0;
      // A table of dashes says less than the one reason that decides.
      const isGiven = leading.some(({ value }) => isKnown(value));
      place.hidden = !isGiven;
      refused.hidden = isGiven;
      more.hidden = isGiven || about.length === 0;
      setText(refused, isGiven ? '' : refusal(about, view.tick.window));
      if (isGiven) box.insertBefore(notes, more);
      else more.append(notes);
    };
  },
};

/** Why none is given, and where to look instead. */
function refusal(
  about: readonly { readonly text: string }[],
  { onPolicy }: LiveTick['window'],
): string {
  const why = about[0]?.text ?? 'No value is given.';
  const isShownWorth = onPolicy?.values.some(({ value }) => isKnown(value)) ?? false;
  return isShownWorth ? `${why} What shown lists are worth is given, below.` : why;
}

/** With how much more than the control's, where there is one. */
function valueTable(
  values: readonly ValueRow[],
  differences: readonly DifferenceRow[],
): HTMLTableElement {
  const [first] = differences;
  if (first === undefined) return table(CAPTION, TITLES, values.map(cellsOf));
  const titles = [...TITLES, `More than ${first.reference}`, 'Proved'];
  const lines = values.map((row) => {
    const own = differences.find(({ model }) => model === row.model);
    return [...cellsOf(row), ...writtenDifference(own)];
  });
  return table(CAPTION, titles, lines);
}

function cellsOf(row: ValueRow): string[] {
  const { model, counts } = row;
  const coverage = row.more?.['coverage'];
  return [
    ...[
      model,
      ...writtenValue(row),
      isKnown(coverage) ? percent(coverage) : '–',
      whole(counts['requests']),
    ],
    VALUE_STANDINGS[valueStanding(row)],
  ];
}
