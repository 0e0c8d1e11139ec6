import type { LiveTick } from '../../outputs/http/schema/live-tick.js';
import { make } from '../element.js';
import { shareTools } from '../share-tools.js';
import { showWithTerms } from '../terms.js';
import type { View } from '../view.js';

/** Words that stand, or that follow what is shown. */
export type Words = string | ((view: View) => string);

/** One box of the page: what stands in it, and how it follows a tick. */
export interface Panel {
  /** By which an address leads to it: `#panel-<name>`. */
  readonly name: string;
  /** Of twelve columns. */
  readonly width: 4 | 5 | 6 | 7 | 12;
  readonly title: Words;
  readonly note: Words;
  /** Fills the box once; what it returns is called with all that there is to show, again and again. */
  mount(box: HTMLElement): (view: View) => void;
}

/** Columns of the table of models, as they are known now. */
export interface ModelColumns {
  readonly titles: readonly string[];
  /** What they are, and why one may be empty. */
  readonly note: string;
  cells(model: string): readonly string[];
}

/** What columns are made of; undefined where there is nothing to show. */
export interface ColumnSource {
  /** @param changed is called once more of it is known. */
  follow(view: View, changed: () => void): ModelColumns | undefined;
}

/** What has changed, in one line. */
export interface Changed {
  readonly line: HTMLElement;
  /** It stands before the verdict. */
  readonly isStrong: boolean;
}

/** Puts a panel at the end of the grid. */
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

/** A place for a chart, at the end of its box. */
export function chartHost(box: HTMLElement, name: string): HTMLElement {
  const host = make('div', 'chart');
  host.id = `chart-${name}`;
  box.append(host);
  return host;
}

/** A place for a table: what scrolls has to be reached by keyboard. */
export function scrollBox(box: HTMLElement, name: string, label: string, kind = ''): HTMLElement {
  const place = make('section', kind === '' ? 'scroll' : `scroll ${kind}`);
  place.id = name;
  place.setAttribute('aria-label', label);
  place.tabIndex = 0;
  box.append(place);
  return place;
}

/** Hides a box that has nothing to show, and moves it to the front where its numbers lead. */
export function placeBox(
  box: HTMLElement,
  name: NonNullable<LiveTick['window']['leads']>,
  hasNumbers: boolean,
  { tick }: View,
): void {
  box.hidden = !hasNumbers;
  box.style.order = tick.window.leads === name ? '-1' : '';
}
