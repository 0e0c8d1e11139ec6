import { LEADING, UNCORRECTED } from '../estimators/names.js';
import { FEATURE_DIALOGS, FEATURE_PANELS } from '../features/panels.js';
import type { LiveState } from '../outputs/http/schema/live-state.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { whole } from '../rows/figures.js';
import { newestOf, rejectedOf } from '../rows/findings/facts.js';
import { clockWithSeconds, day } from '../rows/times.js';
import { keepToken } from './api.js';
import { sourceMarks } from './charts/mark.js';
import { type Choice, readChoice, tickQuery, timeRange, writeChoice } from './choice.js';
import { Connection } from './connection.js';
import { Controls } from './controls.js';
import { byId, make, setText } from './element.js';
import { Histories, isWorth } from './histories.js';
import { MARK_WORDS } from './mark-list.js';
import { ModelList } from './model-list.js';
import { orderedModels } from './model-order.js';
import { Page, type Part } from './page.js';
import { GINI, LORENZ, TOP_SHARE } from './panels/concentration.js';
import { ESTIMATES, SAMPLES } from './panels/estimates.js';
import { EVENTS, PARTITIONS } from './panels/events.js';
import { EXPOSURE, GAMMA } from './panels/gamma.js';
import { tableElement } from './panels/table.js';
import { GAMMA_BANDS, NUMBERS, UNCAUSED, WEIGHTS } from './panels/tables.js';
import { type ShownState, shownStates } from './shown-states.js';
import { Status } from './status.js';
import type { View } from './view.js';

/** Login form: asks for the token, and calls back when one is entered. */
class Login {
  readonly #form = byId<HTMLFormElement>('login');
  readonly #field = byId<HTMLInputElement>('token');

  constructor(given: () => void) {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      keepToken(this.#field.value.trim());
      this.#field.value = '';
      this.#form.hidden = true;
      given();
    });
  }

  ask(wasGiven: boolean): void {
    byId('login-error').textContent = wasGiven ? 'This token was not accepted.' : '';
    this.#form.hidden = false;
    this.#field.focus();
  }
}

/** Parts of the page below its first screen, with their panels. */
const PARTS: readonly Part[] = [
  {
    name: 'time',
    title: 'Over time',
    isOpen: true,
    panels: [ESTIMATES, ...FEATURE_PANELS.time, GINI, TOP_SHARE],
  },
  {
    name: 'worth',
    title: 'More numbers',
    isOpen: true,
    panels: [...FEATURE_PANELS.worth, UNCAUSED],
  },
  {
    name: 'segments',
    title: 'Segments',
    isOpen: false,
    panels: FEATURE_PANELS.segments,
  },
  {
    name: 'why',
    title: 'Why',
    isOpen: false,
    panels: FEATURE_PANELS.why,
  },
  {
    name: 'details',
    title: 'Details',
    isOpen: false,
    panels: [NUMBERS, LORENZ, EXPOSURE, GAMMA, GAMMA_BANDS, WEIGHTS, SAMPLES, EVENTS, PARTITIONS],
  },
];

/** State of the page, and its reactions to messages and to the reader's choices. */
class Application {
  readonly #histories = new Histories();
  readonly #page = new Page(PARTS, () => this.#refresh());
  readonly #status = new Status();
  readonly #dialogs = FEATURE_DIALOGS.map((Dialog) => new Dialog());
  readonly #controls: Controls;
  readonly #models: ModelList;
  readonly #login: Login;
  readonly #connection: Connection;
  #choice: Choice = readChoice(location.search);
  #tick: LiveTick | undefined;
  #state: LiveState = {
    states: [],
    arrivals: null,
  };
  #isConnected = false;
  /**
   * Parameters of the histories that are loaded, as JSON. Empty after a disconnect, so that the
   * histories are loaded again.
   */
  #loaded = '';
  #isDue = false;

  constructor() {
    this.#controls = new Controls(this.#choice, (changed) => this.#choose(changed));
    this.#models = new ModelList((changed) => this.#choose(changed));
    this.#login = new Login(() => this.#connect());
    this.#connection = new Connection({
      opened: () => this.#open(),
      tick: (tick) => this.#take(tick),
      state: (state) => this.#learn(state),
      lost: (reason) => this.#lose(reason),
      tokenNeeded: (wasGiven) => {
        setText(byId('status'), 'Token needed');
        this.#login.ask(wasGiven);
      },
    });
    this.#applyTheme();
    addEventListener('resize', () => this.#render());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#render());
    this.#connect();
  }

  #connect(): void {
    this.#connection.open(tickQuery(this.#choice));
  }

  #choose(changed: Partial<Choice>): void {
    const before = tickQuery(this.#choice);
    // Another metric may not have the chosen cut-off, so the cut-off is reset.
    const cutoff = changed.metric === undefined ? {} : { k: '' };
    this.#choice = {
      ...this.#choice,
      ...cutoff,
      ...changed,
    };
    history.replaceState(null, '', location.pathname + writeChoice(this.#choice) + location.hash);
    this.#applyTheme();
    if (tickQuery(this.#choice) !== before) {
      this.#connect();
    } else {
      this.#refresh();
    }
  }

  #open(): void {
    this.#isConnected = true;
    this.#loaded = '';
    byId('waiting').hidden = this.#tick !== undefined;
    this.#showState();
  }

  #learn(state: LiveState): void {
    this.#state = state;
    showArrivals(state);
    this.#showState();
    this.#render();
  }

  get #states(): readonly ShownState[] {
    return shownStates(this.#state, this.#isConnected, this.#tick?.paneEnd ?? null);
  }

  #showState(): void {
    this.#status.show(this.#states, this.#tick !== undefined, this.#state.environment);
  }

  #take(tick: LiveTick): void {
    this.#tick = tick;
    this.#showState();
    this.#refresh();
    this.#histories.ask().then(
      () => this.#render(),
      // After a failure the known marks stay; the next tick requests them again.
      () => {},
    );
  }

  #lose(reason: string): void {
    this.#isConnected = false;
    setText(byId('status'), `${reason}; retrying`);
    this.#showState();
    this.#render();
  }

  /**
   * Show the newest tick. The histories are loaded again if they were loaded for other choices than
   * the current ones.
   */
  #refresh(): void {
    const tick = this.#tick;
    if (tick === undefined) return;
    const estimator = this.#estimator(tick);
    const { span, from, to } = this.#choice;
    const hasDetails = this.#page.isOpen('details');
    const shown = [hasDetails, isWorth(tick), tick.window.truth.length > 0];
    const needed = JSON.stringify([tick.chosen, estimator, span, from, to, shown]);
    if (needed !== this.#loaded) {
      this.#loaded = needed;
      this.#histories.load(this.#choice, tick, estimator, hasDetails).then(
        () => this.#render(),
        (error: Error) => {
          // The request was aborted by a newer choice, or failed; in that case the next tick
          // repeats it.
          if (error.name !== 'AbortError' && this.#loaded === needed) {
            this.#loaded = '';
          }
        },
      );
    }
    this.#histories.add(tick, timeRange(this.#choice, tick.paneEnd).since);
    this.#render();
  }

  /** Render in the next frame, once for all changes until then. */
  #render(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      const tick = this.#tick;
      if (tick === undefined) return;
      const estimator = this.#estimator(tick);
      this.#controls.show(tick, this.#choice, estimator);
      const { models } = tick;
      this.#models.show(models, orderedModels(tick, this.#choice, estimator), this.#choice);
      this.#page.show(this.#view(tick, estimator));
      for (const dialog of this.#dialogs) {
        dialog.show(tick.chosen.window);
      }
    });
  }

  #view(tick: LiveTick, estimator: string): View {
    const { tables, alarms, happenings, backfilled } = this.#histories;
    const past = backfilled.map((at) => ({
      at,
      kind: 'source' as const,
      isSuppressed: false,
      text: 'computed by unskew backfill',
    }));
    const raised = alarms.map(({ at, series, suppressed }) => ({
      at,
      kind: 'alarm' as const,
      text: `alarm: ${series}`,
      isSuppressed: suppressed !== null,
    }));
    const happened = happenings.map(({ time, kind, text, model }) => ({
      at: time,
      kind,
      isSuppressed: false,
      text: `${MARK_WORDS[kind]}${model === undefined ? '' : ` of ${model}`}: ${text}`,
    }));
    const marks = [...happened, ...raised, ...past];
    const range = timeRange(this.#choice, tick.paneEnd);
    const shown = {
      tick,
      choice: this.#choice,
      estimator,
      tables,
      alarms,
      happenings,
      marks,
    };
    return {
      ...shown,
      sourceMarks: sourceMarks(tables.propensity),
      ...range,
      states: this.#states,
      wait: this.#status.wait,
      environment: this.#state.environment,
      choose: (changed) => this.#choose(changed),
    };
  }

  #estimator({ offered }: LiveTick): string {
    const debiased = offered.estimators.filter((name) => name !== UNCORRECTED) as string[];
    if (debiased.includes(this.#choice.estimator)) return this.#choice.estimator;
    return debiased.includes(LEADING) ? LEADING : (debiased[0] ?? UNCORRECTED);
  }

  #applyTheme(): void {
    document.documentElement.dataset['theme'] = this.#choice.theme;
    this.#render();
  }
}

new Application();

/** Show how many events have arrived, while there are no numbers yet. */
function showArrivals({ arrivals }: LiveState): void {
  if (arrivals === null) return;
  const lines = arrivals.map((topic) => {
    const rejected = rejectedOf(topic);
    const reasons = Object.entries(topic.faults).sort(([, a], [, b]) => b - a);
    const why = reasons.map(([reason, count]) => `${reason} ${whole(count)}`).join(', ');
    const faults =
      rejected === 0 ? '0' : make('span', '', whole(rejected), make('small', 'few', why));
    const newest = newestOf(topic);
    return [
      topic.topic,
      whole(topic.accepted),
      faults,
      whole(topic.late),
      whole(topic.duplicate),
      newest === null ? '–' : `${day(newest)} ${clockWithSeconds(newest)}`,
      topic.lag === null ? '–' : whole(topic.lag),
    ];
  });
  const titles = [
    'Topic',
    'accepted',
    'rejected',
    'late',
    'duplicate',
    'newest event, UTC',
    'unread',
  ];
  const place = byId('arrived');
  // A scrollable element must be reachable by keyboard.
  place.tabIndex = 0;
  place.replaceChildren(tableElement('Events so far', titles, lines));
}
