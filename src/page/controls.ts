import { UNCORRECTED } from '../estimators/names.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { withoutTurns } from '../rows/findings/sentence.js';
import { type Choice, faultOf } from './choice.js';
import { byId, make, setText } from './element.js';

const HOUR = 3_600_000;

/** Control for the range of the time axes: a span that ends now, or a custom range. */
class RangeControl {
  readonly #change: (changed: Partial<Choice>) => void;
  readonly #fields = byId('own-range');
  readonly #from = byId<HTMLInputElement>('choose-from');
  readonly #to = byId<HTMLInputElement>('choose-to');
  #newest = Date.now();

  constructor(choice: Choice, change: (changed: Partial<Choice>) => void) {
    this.#change = change;
    const entries = [
      ['1h', '1 h'],
      ['6h', '6 h'],
      ['24h', '24 h'],
      ['own', 'own'],
    ] as const;
    radios('span', entries, choice.span, (span) => this.#choose(span as Choice['span']));
    this.#from.value = choice.from;
    this.#to.value = choice.to;
    this.#fields.hidden = choice.span !== 'own';
    for (const field of [this.#from, this.#to]) {
      field.addEventListener('change', () => this.#take());
    }
  }

  /**
   * Set the end of the newest pane, ms, from which the default start of a custom range is derived.
   */
  follow(paneEnd: number): void {
    this.#newest = paneEnd;
  }

  #choose(span: Choice['span']): void {
    this.#fields.hidden = span !== 'own';
    // A custom range starts with the last hour.
    if (span === 'own' && this.#from.value === '') {
      this.#from.value = minuteAt(this.#newest - HOUR);
    }
    if (span === 'own') {
      this.#take();
    } else {
      this.#change({
        span,
        from: '',
        to: '',
      });
    }
  }

  /** Apply the custom range if it is valid; otherwise show what is wrong with it. */
  #take(): void {
    const from = this.#from.value;
    const to = this.#to.value;
    const fault = faultOf(from, to);
    setText(byId('range-fault'), fault);
    if (fault === '') {
      this.#change({
        span: 'own',
        from,
        to,
      });
    }
  }
}

function minuteAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

type Change = (changed: Partial<Choice>) => void;

const AGGREGATIONS: Readonly<Record<string, string>> = {
  user: 'users',
  pooled: 'events',
};
const CUTOFF_NAMES: Readonly<Record<string, string>> = { none: 'none' };

/** All controls of the page: native form elements with the options that the service offers. */
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

  /** Update the controls whose options or values have changed. */
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
  return [name, withoutTurns(name)];
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

/** Create a group of radio buttons that looks like a single control. */
export function radios(
  name: string,
  entries: readonly (readonly [value: string, text: string])[],
  chosen: string,
  change: (value: string) => void,
): void {
  const group = byId(`choose-${name}`);
  const focused = group.contains(document.activeElement);
  const buttons = entries.map(([value, text]) => {
    const input = make('input');
    Object.assign(input, {
      type: 'radio',
      name,
      value,
      checked: value === chosen,
    });
    input.addEventListener('change', () => change(value));
    return make('label', '', input, make('span', '', text));
  });
  group.replaceChildren(...buttons);
  if (focused) {
    group.querySelector<HTMLInputElement>('input:checked')?.focus();
  }
}
