import { FEATURE_CHANGES, FEATURE_COLUMNS } from '../features/panels.js';
import { instant } from '../rows/times.js';
import { byId, make, setText } from './element.js';
import { ModelTable } from './model-table.js';
import { mountPanel, type Panel } from './panels/panel.js';
import { standingsOf } from './standings.js';
import { showTrust } from './trust.js';
import { showVerdict } from './verdict.js';
import type { View } from './view.js';

/** A collapsible part of the page below the first screen. It is drawn only while it is open. */
export interface Part {
  readonly name: string;
  readonly title: string;
  readonly isOpen: boolean;
  readonly panels: readonly Panel[];
}

/** Content of the page: the first screen, and the parts below it. */
export class Page {
  readonly #parts: readonly MountedPart[];
  readonly #models = new ModelTable(() => this.#again());
  #view: View | undefined;
  #isPlaced = false;

  /** @param opened called when a part is opened, since its panels may need more data */
  constructor(parts: readonly Part[], opened: () => void) {
    this.#parts = parts.map((part) => new MountedPart(part, opened));
    byId('ways').replaceChildren(...parts.map(({ name, title }) => wayTo(name, title)));
    // A link, or the address of the page, may lead to a panel in a closed part, which is opened
    // then.
    addEventListener('hashchange', () => reveal(location.hash));
    document.addEventListener('click', ({ target }) => {
      const link = (target as Element).closest('a');
      if (link?.hash === location.hash) {
        reveal(link.hash);
      }
    });
  }

  isOpen(part: string): boolean {
    return byId<HTMLDetailsElement>(`part-${part}`).open;
  }

  show(view: View): void {
    this.#view = view;
    byId('waiting').hidden = true;
    byId('content').hidden = false;
    setText(byId('reached'), instant(view.tick.paneEnd));
    const standings = standingsOf(view);
    showVerdict(view);
    const columns = FEATURE_COLUMNS.flatMap(
      (source) => source.follow(view, () => this.#again()) ?? [],
    );
    this.#models.show(view, standings, columns);
    showChanges(view);
    showTrust(view);
    for (const part of this.#parts) {
      part.show(view);
    }
    if (this.#isPlaced) return;
    this.#isPlaced = true;
    reveal(location.hash);
  }

  #again(): void {
    if (this.#view !== undefined) {
      this.show(this.#view);
    }
  }
}

class MountedPart {
  readonly #box: HTMLDetailsElement;
  readonly #way: string;
  readonly #panels: readonly ((view: View) => void)[];

  constructor({ name, title, isOpen, panels }: Part, opened: () => void) {
    const grid = make('div', 'grid');
    this.#box = make('details', 'part', make('summary', '', title), grid);
    this.#box.id = `part-${name}`;
    this.#box.open = isOpen;
    this.#way = `way-${name}`;
    this.#panels = panels.map((panel) => mountPanel(grid, panel));
    byId('panels').append(this.#box);
    this.#box.addEventListener('toggle', () => this.#box.open && opened());
  }

  show(view: View): void {
    if (this.#box.open) {
      for (const show of this.#panels) {
        show(view);
      }
    }
    // A part is hidden if none of its panels has anything to show.
    const panels = [...this.#box.querySelectorAll<HTMLElement>(':scope > .grid > .panel')];
    this.#box.hidden = panels.every(({ hidden }) => hidden);
    byId(this.#way).hidden = this.#box.hidden;
  }
}

function wayTo(name: string, title: string): HTMLAnchorElement {
  const way = make('a', '', title);
  way.id = `way-${name}`;
  way.href = `#part-${name}`;
  return way;
}

/**
 * Time for which the layout may still shift after a link to a panel or part is followed, ms. For
 * this time the target of the link is kept in view.
 */
const SETTLED_MS = 1500;

function reveal(hash: string): void {
  if (!/^#(panel|part)-/.test(hash)) return;
  const found = document.getElementById(hash.slice(1));
  const part = found?.closest('details');
  if (!found || !part) return;
  part.open = true;
  // The target has its final position only after it is drawn. A reader who scrolls is left alone.
  const drawn = new ResizeObserver(() => found.scrollIntoView());
  drawn.observe(byId('panels'));
  const leave = () => drawn.disconnect();
  setTimeout(leave, SETTLED_MS);
  for (const moved of ['wheel', 'touchmove', 'keydown']) {
    addEventListener(moved, leave, {
      once: true,
      passive: true,
    });
  }
}

/** Show the newest changes in one line each, before the verdict if one of them is strong. */
function showChanges(view: View): void {
  const changes = FEATURE_CHANGES.map((of) => of(view));
  const box = byId('changed');
  box.replaceChildren(...changes.map(({ line }) => line));
  const isStrong = changes.some((own) => own.isStrong);
  if (isStrong) {
    byId('verdict').before(box);
  } else {
    byId('trust').before(box);
  }
}
