import { make } from '../../element.js';

export type Cell = string | Node;

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
  const cell = make('th', '', text);
  cell.scope = scope;
  return cell;
}
