import type { LiveTick } from '../../outputs/http/schema/live-tick.js';
import { make } from '../element.js';
import { shareTools } from '../share-tools.js';
import { showWithTerms } from '../terms.js';
import type { View } from '../view.js';

/** Fixed text, or a function that writes it for a view. */
export type Words = string | ((view: View) => string);

/** A box of the page with a title and a note; its content is updated with each view. */
export interface Panel {
  /** Name in the address: `#panel-<name>`. */
  readonly name: string;
  /** Width in twelfths of the page. */
  readonly width: 4 | 5 | 6 | 7 | 12;
  readonly title: Words;
  readonly note: Words;
  /** Create the content of the box. @returns function that updates it with a view */
  mount(box: HTMLElement): (view: View) => void;
}

/** Columns that a feature adds to the table of models. */
export interface ModelColumns {
  readonly titles: readonly string[];
  /** Meaning of the columns, and why one may be empty. */
  readonly note: string;
  cells(model: string): readonly string[];
}

/** Source of columns for the table of models; returns undefined if there is nothing to show. */
export interface ColumnSource {
  /** @param changed called when further data has arrived and the table should be shown again. */
  follow(view: View, changed: () => void): ModelColumns | undefined;
}

/** The latest change of some kind, described in one line. */
export interface Changed {
  readonly line: HTMLElement;
  /** Whether the change is important enough to be shown before the verdict. */
  readonly isStrong: boolean;
}

/** Append a panel to the grid of its part. @returns function that updates it with a view */
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

/** Append to a box the element that will contain a chart. */
export function chartHost(box: HTMLElement, name: string): HTMLElement {
  const host = make('div', 'chart');
  host.id = `chart-${name}`;
  box.append(host);
  return host;
}

/** Append to a box the element that will contain a table, which can be scrolled by keyboard. */
export function scrollBox(box: HTMLElement, name: string, label: string, kind = ''): HTMLElement {
  const place = make('section', kind === '' ? 'scroll' : `scroll ${kind}`);
  place.id = name;
  place.setAttribute('aria-label', label);
  place.tabIndex = 0;
  box.append(place);
  return place;
}

/** Hide a box without numbers, and move the box of the leading numbers to the front. */
export function placeBox(
  box: HTMLElement,
  name: NonNullable<LiveTick['window']['leads']>,
  hasNumbers: boolean,
  { tick }: View,
): void {
  box.hidden = !hasNumbers;
  box.style.order = tick.window.leads === name ? '-1' : '';
}
