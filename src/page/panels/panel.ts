import type { LiveTick } from '../../outputs/http/schema/live-tick.js';
import { make } from '../element.js';
import { shareTools } from '../share-tools.js';
import { showWithTerms } from '../terms.js';
import type { View } from '../view.js';

/** Fixed text, or text that depends on the view. */
export type Words = string | ((view: View) => string);

/** A box of the page, with its update function. */
export interface Panel {
  /** Name in the address: `#panel-<name>`. */
  readonly name: string;
  /** Width in twelfths of the page. */
  readonly width: 4 | 5 | 6 | 7 | 12;
  readonly title: Words;
  readonly note: Words;
  /** Fill the box once; the returned function updates it with each view. */
  mount(box: HTMLElement): (view: View) => void;
}

/** Additional columns of the table of models. */
export interface ModelColumns {
  readonly titles: readonly string[];
  /** Meaning of the columns, and why one may be empty. */
  readonly note: string;
  cells(model: string): readonly string[];
}

/** Source of additional columns; undefined if there is nothing to show. */
export interface ColumnSource {
  /** @param changed called when more data arrives. */
  follow(view: View, changed: () => void): ModelColumns | undefined;
}

/** The latest change, in one line. */
export interface Changed {
  readonly line: HTMLElement;
  /** Whether it is shown before the verdict. */
  readonly isStrong: boolean;
}

/** Append a panel to the grid. */
export function mountPanel(grid: HTMLElement, panel: Panel): (view: View) => void {
  const title = make('h2');
  const note = make('p', 'note');
  const box = make('section', `panel w${panel.width}`, title, note);
  box.id = `panel-${panel.name}`;
  grid.append(box);
  const show = panel.mount(box);
  const follow = shareTools(box, panel.name);
  return (view) => {
    const words = [panel.title, panel.note].map((own) =>
      typeof own === 'string' ? own : own(view),
    );
    showWithTerms(title, words[0]!);
    showWithTerms(note, words[1]!);
    show(view);
    follow(view, words[0]!, words[1]!);
  };
}

/** Append an element for a chart to its box. */
export function chartHost(box: HTMLElement, name: string): HTMLElement {
  const host = make('div', 'chart');
  host.id = `chart-${name}`;
  box.append(host);
  return host;
}

/** Append an element for a table that can be scrolled by keyboard. */
export function scrollBox(box: HTMLElement, name: string, label: string, kind = ''): HTMLElement {
  const place = make('section', kind === '' ? 'scroll' : `scroll ${kind}`);
  place.id = name;
  place.setAttribute('aria-label', label);
  place.tabIndex = 0;
  box.append(place);
  return place;
}

/** Hide an empty box, and move the box of the main result to the front. */
export function placeBox(
  box: HTMLElement,
  name: NonNullable<LiveTick['window']['leads']>,
  hasNumbers: boolean,
  { tick }: View,
): void {
  box.hidden = !hasNumbers;
  box.style.order = tick.window.leads === name ? '-1' : '';
}
