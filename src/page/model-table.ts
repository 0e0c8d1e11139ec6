import { isKnown, whole } from '../rows/figures.js';
import { instant } from '../rows/times.js';
import { palette } from './charts/colours.js';
import { FAR_WIDER } from './charts/range.js';
import { byId, make, setText, spoken } from './element.js';
import { meter } from './meter.js';
import { modelName } from './names.js';
import type { ModelColumns } from './panels/panel.js';
import { isCatchingUp, type Standing } from './standings.js';
import { colourOf, type View } from './view.js';

/** Number of rows that are shown at first; a button shows the others. */
const AT_ONCE = 8;

/**
 * Table of all models: the reward or metric as a bar, the columns of the table that reports open
 * with, and columns of features.
 */
export class ModelTable {
  readonly #more = byId<HTMLButtonElement>('more-models');
  #isWhole = false;

  constructor(changed: () => void) {
    // A scrollable element must be reachable by keyboard.
    byId('standing').tabIndex = 0;
    this.#more.addEventListener('click', () => {
      this.#isWhole = !this.#isWhole;
      changed();
    });
  }

  show(view: View, rows: readonly Standing[], columns: readonly ModelColumns[]): void {
    const shown = this.#isWhole ? rows : rows.slice(0, AT_ONCE);
    const rest = rows.length - Math.min(rows.length, AT_ONCE);
    // While the service reads old events and nothing is known yet, only its progress is shown.
    const isEarly = isCatchingUp(view);
    showProgress(isEarly ? view.wait : undefined);
    byId('standing').hidden = isEarly || rows.length === 0;
    this.#more.hidden = rest === 0 || isEarly;
    setText(this.#more, this.#isWhole ? 'Show fewer' : `Show ${whole(rest)} more models`);
    const table = new Lines(view, rows, columns).table(shown);
    byId('standing').replaceChildren(table);
    showKey(view, columns);
  }
}

/**
 * Creates the rows of the table. All rows share one scale for their bars and one set of shortened
 * names.
 */
class Lines {
  readonly #most: number;
  readonly #names: ReadonlyMap<string, Node>;

  constructor(
    readonly view: View,
    rows: readonly Standing[],
    readonly columns: readonly ModelColumns[],
  ) {
    this.#most = reachOf(rows);
    const models = rows.map(({ model }) => model);
    this.#names = new Map(models.map((model) => [model, modelName(model, models)]));
  }

  table(rows: readonly Standing[]): HTMLTableElement {
    const own = this.view.tick.opening.columns.map((title) => make('span', '', ...spoken(title)));
    const titles = ['Model', ...own, ...this.columns.flatMap((each) => each.titles)];
    const head = make('tr', '', ...titles.map((title) => headCell(title, 'col')));
    const body = make('tbody', '', ...rows.map((row) => this.#line(row)));
    const caption = make('caption', 'unseen', 'Models');
    return make('table', 'standings', caption, make('thead', '', head), body);
  }

  #line(row: Standing): HTMLTableRowElement {
    const { model, cells } = row;
    const isBaseline = model === this.view.tick.baseline;
    const name = make(
      'span',
      'model',
      this.#names.get(model)!.cloneNode(true),
      isBaseline ? make('small', '', 'built in') : null,
    );
    const [first = '–', ...rest] = cells;
    const bar = isKnown(row.value)
      ? make('td', 'standing', this.#bar(row, first))
      : make('td', 'standing none', first);
    const line = make('tr', '', headCell(name, 'row'), bar);
    const beside: (string | Node)[] = [...rest, ...this.columns.flatMap((own) => own.cells(model))];
    line.append(...beside.map((cell) => make('td', '', cell)));
    line.dataset['model'] = model;
    return line;
  }

  /** Create a bar with the value, and its interval or range in smaller type. */
  #bar(row: Standing, text: string): HTMLElement {
    const bar = meter(row, this.#most, palette().of(colourOf(this.view, row.model)));
    const [value = '', ends = ''] = text.split(' (');
    const small = ends === '' ? null : make('small', '', ends.replace(')', ''));
    return make('span', 'bar', bar, make('span', 'figure', value, small));
  }
}

function showProgress(wait: string | undefined): void {
  const box = byId('catching-up');
  box.hidden = wait === undefined;
  if (wait === undefined) return;
  const bar = make('progress');
  bar.setAttribute('aria-label', 'Catching up');
  box.replaceChildren(bar, ` Catching up: ${wait}.`);
}

/**
 * Value that the full width of a bar stands for: the largest value or upper end. Very wide
 * intervals are ignored, since they would make all bars short.
 */
function reachOf(rows: readonly Standing[]): number {
  const widths = rows
    .flatMap(({ lower, upper }) => (isKnown(lower) && isKnown(upper) ? [upper - lower] : []))
    .sort((a, b) => a - b);
  const usual = widths[(widths.length - 1) >> 1] ?? 0;
  const held = rows.flatMap(({ value, lower, upper }) => [
    value,
    isKnown(lower) && isKnown(upper) && upper - lower <= FAR_WIDER * usual ? upper : null,
  ]);
  return 1.02 * Math.max(1e-9, ...held.filter(isKnown));
}

/** Show which window, interactions, users and items the numbers are based on. */
function showKey({ tick }: View, columns: readonly ModelColumns[]): void {
  const { window, paneEnd, catalogueSize, chosen } = tick;
  const { users, interactions } = window.counts;
  const to = window.to < paneEnd ? ` until ${instant(window.to)}` : '';
  const of = make(
    'span',
    '',
    `Last ${chosen.window}${to} · ${whole(interactions)} interactions of ${whole(users)} users · ${whole(catalogueSize)} items`,
  );
  of.id = 'window-note';
  const notes = columns.map(({ note }) => make('span', 'columns-note', note));
  byId('standing-key').replaceChildren(of, ...notes);
}

function headCell(text: string | Node, scope: 'col' | 'row'): HTMLTableCellElement {
  const cell = make('th', '', text);
  cell.scope = scope;
  return cell;
}
