import { UNCORRECTED } from '../estimators/names.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import type { Choice } from './choice.js';
import { byId, make } from './element.js';
import { radios } from './radios.js';
import { RangeControl } from './range-control.js';

type Change = (changed: Partial<Choice>) => void;

const AGGREGATIONS: Readonly<Record<string, string>> = { user: 'users', pooled: 'events' };
const CUTOFF_NAMES: Readonly<Record<string, string>> = { none: 'none' };

/** The controls: native ones, filled with what the service offers. */
export class Controls {
  readonly #change: Change;
  readonly #range: RangeControl;
  #offered = '';

  constructor(choice: Choice, change: Change) {
    this.#change = change;
    for (const name of ['model', 'metric', 'k', 'estimator'] as const) {
      const select = byId<HTMLSelectElement>(`choose-${name}`);
      select.addEventListener('change', () => change({ [name]: select.value }));
    }
    this.#range = new RangeControl(choice, change);
    const theme = byId<HTMLSelectElement>('choose-theme');
    theme.value = choice.theme;
    theme.addEventListener('change', () => change({ theme: theme.value as Choice['theme'] }));
  }

  /** Shows what can be chosen and what is; leaves controls alone that need no change. */
  show({ offered, chosen, models, paneEnd }: LiveTick, choice: Choice, estimator: string): void {
    this.#range.follow(paneEnd);
    const key = JSON.stringify([offered, chosen, models, choice.model, estimator]);
    if (key === this.#offered) return;
    this.#offered = key;
    const isKnown = models.includes(choice.model);
    options('model', [['', 'All models'], ...models.map(same)], isKnown ? choice.model : '');
    const metrics = [...new Set(offered.metrics.map(({ metric }) => metric))];
    options('metric', metrics.map(same), chosen.metric);
    const ks = offered.metrics
      .filter(({ metric }) => metric === chosen.metric)
      .map(({ k }) => (k === null ? 'none' : String(k)));
    options(
      'k',
      ks.map((k) => [k, CUTOFF_NAMES[k] ?? k]),
      chosen.k === null ? 'none' : String(chosen.k),
    );
    byId<HTMLSelectElement>('choose-k').disabled = ks.length < 2;
    options(
      'estimator',
      offered.estimators.filter((own) => own !== UNCORRECTED).map(same),
      estimator,
    );
    radios('window', offered.windows.map(same), chosen.window, (window) =>
      this.#change({ window }),
    );
    const aggregations = offered.aggregations.map((own): [string, string] => [
      own,
      AGGREGATIONS[own] ?? own,
    ]);
    radios('aggregation', aggregations, chosen.aggregation, (aggregation) =>
      this.#change({ aggregation }),
    );
  }
}

function same(name: string): [string, string] {
  return [name, name];
}

function options(
  name: string,
  entries: readonly (readonly [value: string, text: string])[],
  chosen: string,
): void {
  const select = byId<HTMLSelectElement>(`choose-${name}`);
  const nodes = entries.map(([value, text]) => {
    const node = make('option', '', text);
    node.value = value;
    return node;
  });
  select.replaceChildren(...nodes);
  select.value = chosen;
}
