import { type Choice, faultOf } from './choice.js';
import { byId, setText } from './element.js';
import { radios } from './radios.js';

const HOUR = 3_600_000;

/** What the time axes are of: a span that ends now, or from one minute to another. */
export class RangeControl {
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

  /** The newest pane, from which a first range is made. */
  follow(paneEnd: number): void {
    this.#newest = paneEnd;
  }

  #choose(span: Choice['span']): void {
    this.#fields.hidden = span !== 'own';
    // The last hour, to begin with.
    if (span === 'own' && this.#from.value === '') {
      this.#from.value = minuteAt(this.#newest - HOUR);
    }
    if (span === 'own') this.#take();
    else this.#change({ span, from: '', to: '' });
  }

  /** A range that is none changes nothing, and says why. */
  #take(): void {
    const [from, to] = [this.#from.value, this.#to.value];
    const fault = faultOf(from, to);
    setText(byId('range-fault'), fault);
    if (fault === '') this.#change({ span: 'own', from, to });
  }
}

function minuteAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}
