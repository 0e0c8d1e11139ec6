import { make } from '../element.js';

export type Cell = string | Node;

/** Longer names lose their middle where there is no room; names of one family differ at their ends. */
const LONG = 24;
const TAIL = 10;

/** A table whose first column names its rows. */
export function table(
  caption: string,
  titles: readonly string[],
  lines: readonly (readonly Cell[])[],
): HTMLTableElement {
  const head = make('tr', '', ...titles.map((title) => headCell(title, 'col')));
  const body = make('tbody');
  for (const [name, ...cells] of lines) {
    body.append(
      make('tr', '', headCell(name, 'row'), ...cells.map((cell) => make('td', '', cell))),
    );
  }
  return make('table', '', make('caption', 'unseen', caption), make('thead', '', head), body);
}

function headCell(text: Cell, scope: 'col' | 'row'): HTMLTableCellElement {
  const cell = make(
    'th',
    '',
    typeof text === 'string' && text.length > LONG ? bothEnds(text) : text,
  );
  cell.scope = scope;
  return cell;
}

/** All of it is there, for those who search or copy it; only what is seen is cut. */
function bothEnds(text: string): HTMLElement {
  const name = make('span', 'both-ends');
  name.title = text;
  name.append(make('span', '', text.slice(0, -TAIL)), make('span', '', text.slice(-TAIL)));
  return name;
}
