import type { Static } from 'typebox';
import type { ItemAnswer } from '../../../outputs/http/schema/lookup.js';
import { askJson, Refused } from '../../../page/api.js';
import { byId, make } from '../../../page/element.js';
import { itemIn } from '../../../page/item-link.js';
import { type Cell, tableElement } from '../../../page/panels/table.js';
import { compact, decimal, percent, whole } from '../../../rows/figures.js';
import type { Wire } from '../../../rows/row.js';
import { instant } from '../../../rows/times.js';

type Item = Wire<Static<typeof ItemAnswer>>;

/**
 * Dialog with one item’s count, propensity, weights and positions in lists. It has its own address
 * (the fragment of the URL).
 */
export class ItemView {
  readonly #dialog = byId<HTMLDialogElement>('item-view');
  readonly #body = byId('item-body');
  #window = '';
  #shown = '';

  constructor() {
    addEventListener('hashchange', () => this.#follow());
    this.#dialog.addEventListener('close', () => {
      this.#shown = '';
      // Restore the page's own address without a step in the browser's history.
      if (itemIn(location.hash) !== undefined) {
        history.replaceState(null, '', location.pathname + location.search);
      }
    });
  }

  /**
   * Show the item that the address names, if any.
   *
   * @param window name of the window whose lists are shown.
   */
  show(window: string): void {
    this.#window = window;
    this.#follow();
  }

  #follow(): void {
    const item = itemIn(location.hash);
    if (item === undefined) {
      this.#dialog.close();
      return;
    }
    const key = JSON.stringify([item, this.#window]);
    if (key === this.#shown || this.#window === '') return;
    this.#shown = key;
    byId('item-name').textContent = item;
    this.#body.replaceChildren(make('p', 'note', 'Looking it up…'));
    if (!this.#dialog.open) {
      this.#dialog.showModal();
    }
    const path = `/api/v1/items/${encodeURIComponent(item)}?window=${encodeURIComponent(this.#window)}`;
    askJson<Item>(path).then(
      (answer) => key === this.#shown && this.#body.replaceChildren(...described(answer)),
      (error: Error) => {
        if (key !== this.#shown) return;
        const why = error instanceof Refused ? error.detail : error.message;
        this.#body.replaceChildren(make('p', 'note', `Not known: ${why}.`));
      },
    );
  }
}

function described(item: Item): HTMLElement[] {
  const { count, interactions, rank, propensity, weights, stratum, strata, paneEnd, lists } = item;
  const facts: [string, string][] = [
    ['Count', `${whole(count)} of ${whole(interactions)} interactions count`],
    ['Rank by count', rank === null ? 'none (no interaction counted)' : whole(rank)],
    [
      'Propensity',
      `${percent(propensity.relative, 2)} of the most popular item’s (β ${decimal(propensity.beta, 2)})`,
    ],
    ...Object.entries(weights).map(([estimator, weight]): [string, string] => [
      `Weight by ${estimator}`,
      compact(weight),
    ]),
    ['Stratum', `${whole(stratum + 1)} of ${whole(strata)}`],
  ];
  const terms = facts.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]);
  const note = `As of ${instant(paneEnd)}. Counts cover the popularity horizon; weights are not normalised.`;
  return [make('dl', 'facts', ...terms), listTable(item), make('p', 'note', note + placed(lists))];
}

function placed(lists: Item['lists']): string {
  if (lists === null) {
    return ' The rows of the window are not stored, so the item’s ranks by model are not known.';
  }
  return ` Lists are those of users who interacted with the item in the window ${lists.window}.`;
}

function listTable({ exposures, lists }: Item): HTMLElement {
  const lines = Object.entries(exposures).map(([model, shown]): Cell[] => {
    const own = lists?.models.find((row) => row.model === model);
    const held = own === undefined ? '–' : `${whole(own.listed)} of ${whole(own.rows)}`;
    const ranks = [own?.medianRank, own?.bestRank].map((rank) => whole(rank));
    return [model, whole(shown), held, ...ranks];
  });
  const titles = ['Model', 'Times shown', 'Lists with the item', 'Median rank', 'Best rank'];
  const box = make('section', 'scroll', tableElement('In the lists of the models', titles, lines));
  box.setAttribute('aria-label', 'In the lists of the models');
  box.tabIndex = 0;
  return box;
}
