import { plainText, type Sentence } from '../../rows/findings/sentence.js';
import { type Cell as ModelCell, markedCell, spread, type Table } from '../../rows/table.js';
import { capital } from '../../rows/words.js';
import { make } from '../element.js';

export type Cell = string | Node;

/**
 * A name longer than this is shortened in the middle, characters. `TAIL` is the length of the end
 * that remains.
 */
const LONG = 24;
const TAIL = 10;

/** Convert a `Table` to an HTML table. */
export function tableOf(table: Table): HTMLTableElement {
  const { title, columns, lines } = spread(table);
  // Headings that come from a pivot are names, such as those of estimators, and are not
  // capitalised.
  const { pivot: [first] = [columns.length] } = table;
  const titles = columns.map((column, c) => cellOf(column.title, c < first ? capital : undefined));
  const cells = lines.map((line) => line.map((cell) => cellOf(cell)));
  return tableElement(plainText(markedCell(title).words), titles, cells);
}

/** Create an HTML table whose first column has the row headers. */
export function tableElement(
  caption: string,
  titles: readonly Cell[],
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
  const cell = make('th', '', typeof text === 'string' ? nameNode(text) : text);
  cell.scope = scope;
  return cell;
}

/** Convert a cell to HTML; marked cells get a class, and notes are smaller. */
function cellOf(cell: ModelCell, changed = (text: string) => text): Cell {
  const { words: given, mark = '', notes = [], share } = markedCell(cell);
  const words = given.map((part, at) =>
    at === 0 && typeof part === 'string' ? changed(part) : part,
  );
  const [only] = words;
  const isPlain = words.length <= 1 && notes.length === 0 && mark === '' && share === undefined;
  if (isPlain && typeof only !== 'object') return only ?? '';
  if (isPlain && typeof only === 'object' && 'name' in only) return nameNode(only.name);
  const own = share === undefined ? sentenceNodes(words) : [bar(share, plainText(words))];
  return make('span', mark, ...own, ...notes.map(noteNode));
}

function noteNode(note: ModelCell): Node {
  const { words, mark } = markedCell(note);
  return make('small', mark === 'low' ? 'few' : '', plainText(words));
}

export function sentenceNodes(words: Sentence): Node[] {
  return words.map((part) => {
    if (typeof part === 'string') return document.createTextNode(part);
    return 'name' in part ? make('bdi', '', part.name) : make('strong', '', part.strong);
  });
}

/**
 * Create a node for a name. A long name is shortened only visually, so that it can be searched and
 * copied.
 */
function nameNode(text: string): Node {
  if (text.length <= LONG) return make('bdi', '', text);
  const name = make('bdi', 'both-ends');
  name.title = text;
  name.append(make('span', '', text.slice(0, -TAIL)), make('span', '', text.slice(-TAIL)));
  return name;
}

function bar(share: number, figure: string): HTMLElement {
  const fill = make('span', 'fill');
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return make('span', 'bar', make('span', 'track', fill), make('span', 'figure', figure));
}
