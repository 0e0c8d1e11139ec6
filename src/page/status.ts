import { isKnown, whole } from '../rows/figures.js';
import { heldBack, type StateCode } from '../rows/findings/state.js';
import { clock, day, duration } from '../rows/times.js';
import { byId, make, setText } from './element.js';
import { problemOf, type ShownState } from './shown-states.js';

const TITLE = 'unskew: debiased metrics, live';

/** Codes of states that explain why there are no numbers yet. */
const WAITING: ReadonlySet<StateCode> = new Set(['nothing_read', 'all_rejected', 'no_pane']);

/** Estimates how long it takes to read a backlog, from how its size has changed. */
class Pace {
  #seen: {
    readonly at: number;
    readonly toRead: number;
  }[] = [];

  /**
   * Add the current size of the backlog, records. @returns remaining time, ms; undefined if unknown
   */
  see(toRead: number, now: number): number | undefined {
    // The backlog has grown, so the measurement starts again.
    if (toRead > (this.#seen.at(-1)?.toRead ?? 0)) {
      this.#seen = [];
    }
    const recent = this.#seen.filter(({ at }) => at > now - PACE_MS);
    const isMoving = recent.some((own) => own.toRead > toRead);
    // If a batch takes longer than the period, the rate is measured from the previous batch.
    const last = isMoving ? undefined : this.#seen.filter((own) => own.toRead > toRead).at(-1);
    this.#seen = [
      ...(last ? [last] : []),
      ...recent,
      {
        at: now,
        toRead,
      },
    ];
    const [first] = this.#seen;
    const read = first!.toRead - toRead;
    return read > 0 && now > first!.at ? (toRead * (now - first!.at)) / read : undefined;
  }
}

/** Period over which the rate is measured, ms. */
const PACE_MS = 30_000;

/**
 * Status line of the page (live, catching up, outdated or disconnected) and list of the current
 * states.
 */
export class Status {
  readonly #pace = new Pace();
  readonly #button = byId<HTMLButtonElement>('problems');
  #isOpen = false;
  /** Size of the backlog and time to read it, in words; undefined without a backlog. */
  wait: string | undefined;

  constructor() {
    this.#button.addEventListener('click', () => {
      this.#isOpen = !this.#isOpen;
      this.#apply();
    });
  }

  /**
   * Show the states. `Live` is shown only if the newest numbers are current and the service is not
   * catching up.
   */
  show(states: readonly ShownState[], hasNumbers: boolean, environment?: string): void {
    const status = byId('status');
    const held = heldBack(states) ?? states.find(({ code }) => WAITING.has(code));
    this.wait = this.#waitOf(states);
    status.dataset['state'] = this.#kindOf(held, hasNumbers);
    // The connection itself shows why it was lost.
    if (held?.code !== 'stream_cut') {
      setText(status, this.#wordsOf(held, hasNumbers));
    }
    showTitle(problemOf(states), environment);
    showStates(states);
    setText(this.#button, countsOf(states));
    this.#button.hidden = states.length === 0;
    this.#button.dataset['severity'] = states[0]?.severity ?? '';
    // Without numbers the states are all that there is to read, so they are always open.
    byId('states').dataset['alone'] = String(!hasNumbers);
    this.#apply();
  }

  #apply(): void {
    const strip = byId('states');
    const isAlone = strip.dataset['alone'] === 'true';
    this.#button.setAttribute('aria-expanded', String(this.#isOpen || isAlone));
    strip.hidden = this.#button.hidden || !(this.#isOpen || isAlone);
  }

  #kindOf(held: ShownState | undefined, hasNumbers: boolean): string {
    if (held === undefined) return hasNumbers ? 'live' : 'waiting';
    if (held.code === 'stream_cut') return 'lost';
    return held.severity === 'problem' ? 'problem' : 'waiting';
  }

  #wordsOf(held: ShownState | undefined, hasNumbers: boolean): string {
    if (held === undefined) return hasNumbers ? 'Live' : 'Connected, no numbers yet';
    const { code, label } = held;
    const figures: Readonly<Record<string, number | null>> = { ...held.figures };
    if (code === 'stale') {
      return `${label}: newest event ${duration(figures['ageMs'])} ago`;
    }
    return code === 'catching_up' && isKnown(figures['toRead']) ? `${label}: ${this.wait}` : label;
  }

  #waitOf(states: readonly ShownState[]): string | undefined {
    const behind = states.find(({ code }) => code === 'catching_up');
    if (behind === undefined) return undefined;
    const figures: Readonly<Record<string, number | null>> = { ...behind.figures };
    const toRead = figures['toRead'];
    if (!isKnown(toRead)) return 'reading older records';
    const left = this.#pace.see(toRead, Date.now());
    const long = left === undefined ? '' : `, about ${duration(Math.max(1000, left))} left`;
    return `${whole(toRead)} records behind${long}`;
  }
}

function showTitle(problem: ShownState | undefined, environment?: string): void {
  const name = problem === undefined ? TITLE : `${problem.label} · unskew`;
  document.title = environment === undefined ? name : `${name} · ${environment}`;
  setText(byId('environment'), environment ?? '');
  byId('environment').hidden = environment === undefined;
  const icon = problem === undefined ? '/icon.svg' : '/icon-alert.svg';
  const link = byId<HTMLLinkElement>('tab-icon');
  if (link.getAttribute('href') !== icon) {
    link.setAttribute('href', icon);
  }
}

/** Count the states by severity, such as `1 problem, 2 notes`. */
function countsOf(states: readonly ShownState[]): string {
  const counts = (['problem', 'caution', 'note'] as const).map((severity) => {
    const count = states.filter((state) => state.severity === severity).length;
    return count === 0 ? '' : `${count} ${severity}${count === 1 ? '' : 's'}`;
  });
  return counts.filter((text) => text !== '').join(', ');
}

/** Show the states as a list, most urgent first. */
function showStates(states: readonly ShownState[]): void {
  const strip = byId('states');
  const key = JSON.stringify(states);
  if (strip.dataset['key'] === key) return;
  strip.dataset['key'] = key;
  strip.replaceChildren(make('ul', '', ...states.map(line)));
}

function line({ code, severity, label, text, remedy, since }: ShownState): HTMLElement {
  const item = make(
    'li',
    '',
    make('strong', 'label', label),
    make('span', 'said', text),
    make('span', 'remedy', remedy),
  );
  // The time is added only to states whose sentence does not give it.
  if (since !== null && HAS_NO_TIME.has(code)) {
    item.append(make('span', 'when', `since ${moment(since)}`));
  }
  item.dataset['severity'] = severity;
  item.dataset['code'] = code;
  return item;
}

const HAS_NO_TIME: ReadonlySet<string> = new Set([
  'failed',
  'away',
  'workers_differ',
  'clock_off',
  'not_assigned',
  'catching_up',
  'all_rejected',
  'users_split',
  'models_dropped',
]);

function moment(ms: number): string {
  return day(ms) === day(Date.now()) ? `${clock(ms)} UTC` : `${day(ms)} ${clock(ms)} UTC`;
}
