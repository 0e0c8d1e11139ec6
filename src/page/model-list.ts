import { whole } from '../rows/figures.js';
import type { Choice } from './choice.js';
import { byId, make, setText } from './element.js';
import { MOST_LINES, namesIn, toggled } from './model-order.js';
import { modelName } from './names.js';

type Picked = Pick<Choice, 'pin' | 'hide'>;

/** Minimum number of models for which the list is shown. */
const WORTH_A_LIST = 5;
/** Maximum length of a model name in the list, characters. */
const LONGEST = 22;

/** List in which models can be searched, pinned and hidden. */
export class ModelList {
  readonly #change: (changed: Partial<Picked>) => void;
  readonly #box = byId<HTMLDetailsElement>('models');
  readonly #search = byId<HTMLInputElement>('search-models');
  readonly #rows = byId('model-rows');
  #models: readonly string[] = [];
  #picked: Picked = {
    pin: '',
    hide: '',
  };
  #shown = '';

  constructor(change: (changed: Partial<Picked>) => void) {
    this.#change = change;
    this.#search.addEventListener('input', () => this.#filter());
    byId('show-all-models').addEventListener('click', () =>
      this.#change({
        pin: '',
        hide: '',
      }),
    );
  }

  /** Update the list. @param ordered all models except hidden ones, in the order of the charts */
  show(models: readonly string[], ordered: readonly string[], picked: Picked): void {
    this.#box.hidden = models.length < WORTH_A_LIST && picked.hide === '' && picked.pin === '';
    const hidden = models.filter((model) => !ordered.includes(model));
    const key = JSON.stringify([models, ordered, picked]);
    if (this.#box.hidden || key === this.#shown) return;
    this.#shown = key;
    this.#models = [...ordered, ...hidden];
    this.#picked = picked;
    const of = hidden.length === 0 ? '' : ` of ${whole(models.length)}`;
    const lines =
      ordered.length > MOST_LINES ? `; charts over time show the first ${MOST_LINES}` : '';
    setText(byId('models-summary'), `${whole(ordered.length)}${of} models${lines}`);
    const focused = (document.activeElement as HTMLElement | null)?.dataset['pick'];
    this.#rows.replaceChildren(...this.#models.map((model) => this.#row(model)));
    this.#filter();
    if (focused !== undefined) {
      this.#rows.querySelector<HTMLElement>(`[data-pick=${CSS.escape(focused)}]`)?.focus();
    }
  }

  #row(model: string): HTMLElement {
    const { pin, hide } = this.#picked;
    const name = make('span', 'model-name', modelName(model, this.#models, LONGEST));
    const n = this.#models.indexOf(model);
    const row = make(
      'li',
      'model-row',
      name,
      this.#button(`pin-${n}`, 'Pin', model, namesIn(pin).includes(model), () => ({
        pin: toggled(pin, model),
      })),
      this.#button(`hide-${n}`, 'Hide', model, namesIn(hide).includes(model), () => ({
        hide: toggled(hide, model),
      })),
    );
    row.dataset['model'] = model;
    return row;
  }

  #button(
    pick: string,
    text: string,
    model: string,
    isOn: boolean,
    change: () => Partial<Picked>,
  ): HTMLElement {
    const button = make('button', 'pick', text);
    button.type = 'button';
    button.dataset['pick'] = pick;
    button.setAttribute('aria-pressed', String(isOn));
    button.setAttribute('aria-label', `${text} ${model}`);
    button.addEventListener('click', () => this.#change(change()));
    return button;
  }

  #filter(): void {
    const wanted = this.#search.value.trim().toLowerCase();
    for (const row of this.#rows.querySelectorAll<HTMLElement>('li')) {
      row.hidden = !row.dataset['model']!.toLowerCase().includes(wanted);
    }
  }
}
