import { LEADING, UNCORRECTED } from '../estimators/names.js';
import { FEATURE_DIALOGS, FEATURE_PANELS } from '../features/panels.js';
import type { LiveState } from '../outputs/http/schema/live-state.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { whole } from '../rows/figures.js';
import { newestOf, rejectedOf } from '../rows/findings/facts.js';
import { clock, clockWithSeconds, day } from '../rows/times.js';
import { keepToken } from './api.js';
import { sourceMarks } from './charts/mark.js';
import { type Choice, readChoice, tickQuery, timeRange, writeChoice } from './choice.js';
import { Connection } from './connection.js';
import { Controls } from './controls.js';
import { byId, make, setText } from './element.js';
import { Histories } from './histories.js';
import { MARK_WORDS } from './mark-list.js';
import { ModelList } from './model-list.js';
import { orderedModels } from './model-order.js';
import { Page } from './page.js';
import { GINI, LORENZ, TOP_SHARE } from './panels/concentration.js';
import { ESTIMATES, SAMPLES } from './panels/estimates.js';
import { EVENTS, PARTITIONS } from './panels/events.js';
import { EXPOSURE, GAMMA } from './panels/gamma.js';
import { tableElement } from './panels/table.js';
import { GAMMA_BANDS, NUMBERS, UNCAUSED, WEIGHTS } from './panels/tables.js';
import { problemOf, type ShownState, shownStates } from './shown-states.js';
import type { View } from './view.js';

const TITLE = 'unskew: debiased metrics, live';

/** What the tab and the head of the page say: live only if nothing speaks against the numbers. */
function showStatus(
  states: readonly ShownState[],
  hasNumbers: boolean,
  environment?: string,
): void {
  const status = byId('status');
  const problem = problemOf(states);
  const isCut = problem?.code === 'stream_cut';
  status.dataset['state'] = statusOf(problem, hasNumbers);
  const waiting = states[0]?.label ?? 'Connected, no numbers yet';
  // Why it is cut the connection knows better.
  if (!isCut) setText(status, problem?.label ?? (hasNumbers ? 'Live' : waiting));
  const name = problem === undefined ? TITLE : `${problem.label} · unskew`;
  document.title = environment === undefined ? name : `${name} · ${environment}`;
  setText(byId('environment'), environment ?? '');
  byId('environment').hidden = environment === undefined;
  const icon = problem === undefined ? '/icon.svg' : '/icon-alert.svg';
  const link = byId<HTMLLinkElement>('tab-icon');
  if (link.getAttribute('href') !== icon) link.setAttribute('href', icon);
}

function statusOf(problem: ShownState | undefined, hasNumbers: boolean): string {
  if (problem?.code === 'stream_cut') return 'lost';
  if (problem !== undefined) return 'problem';
  return hasNumbers ? 'live' : 'waiting';
}

/** More are a line to be opened. */
const AT_ONCE = 4;

/** Shows the states above all numbers, the most urgent first. */
function showStrip(states: readonly ShownState[]): void {
  const strip = byId('states');
  const key = JSON.stringify(states);
  if (strip.dataset['key'] === key) return;
  strip.dataset['key'] = key;
  strip.hidden = states.length === 0;
  const isOpen = strip.querySelector('details')?.hasAttribute('open') ?? false;
  const rest = states.slice(AT_ONCE);
  strip.replaceChildren(make('ul', '', ...states.slice(0, AT_ONCE).map(line)));
  if (rest.length === 0) return;
  const more = make('details', '', make('summary', '', `${rest.length} more`));
  more.append(make('ul', '', ...rest.map(line)));
  more.open = isOpen;
  strip.append(more);
}

function line({ code, severity, label, text, remedy, since }: ShownState): HTMLElement {
  const item = make(
    'li',
    '',
    make('strong', 'label', label),
    make('span', 'said', text),
    make('span', 'remedy', remedy),
  );
  // What says when in its sentence need not say it again.
  if (since !== null && HAS_NO_TIME.has(code)) {
    item.append(make('span', 'when', `since ${moment(since)}`));
  }
  item.dataset['severity'] = severity;
  item.dataset['code'] = code;
  return item;
}

const HAS_NO_TIME: ReadonlySet<string> = new Set([
  ...['failed', 'broker_away', 'registry_away', 'store_away', 'exchange_away', 'clock_off'],
  ...['not_assigned', 'catching_up', 'all_rejected', 'users_split', 'models_dropped'],
]);

function moment(ms: number): string {
  return day(ms) === day(Date.now()) ? `${clock(ms)} UTC` : `${day(ms)} ${clock(ms)} UTC`;
}

/** Asks for the token; calls back once one is given. */
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

/** The panels in their order; each is one file. */
const PANELS = [
  ...FEATURE_PANELS.beforeEstimates,
  ESTIMATES,
  ...FEATURE_PANELS.afterEstimates,
  UNCAUSED,
  ...FEATURE_PANELS.besideEstimates,
  GINI,
  TOP_SHARE,
  LORENZ,
  EXPOSURE,
  GAMMA,
  GAMMA_BANDS,
  WEIGHTS,
  SAMPLES,
  ...FEATURE_PANELS.changes,
  NUMBERS,
  EVENTS,
  PARTITIONS,
];

/** What the page holds, and what happens when something of it changes. */
class Application {
  readonly #histories = new Histories();
  readonly #page = new Page(PANELS);
  readonly #dialogs = FEATURE_DIALOGS.map((Dialog) => new Dialog());
  readonly #controls: Controls;
  readonly #models: ModelList;
  readonly #login: Login;
  readonly #connection: Connection;
  #choice: Choice = readChoice(location.search);
  #tick: LiveTick | undefined;
  #state: LiveState = { states: [], arrivals: null };
  #isConnected = false;
  /** What the histories are loaded for; loaded again after each cut. */
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
    // A cut-off belongs to its metric.
    const cutoff = changed.metric === undefined ? {} : { k: '' };
    this.#choice = { ...this.#choice, ...cutoff, ...changed };
    history.replaceState(null, '', location.pathname + writeChoice(this.#choice) + location.hash);
    this.#applyTheme();
    if (tickQuery(this.#choice) !== before) this.#connect();
    else this.#refresh();
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
    showStrip(this.#states);
    showStatus(this.#states, this.#tick !== undefined, this.#state.environment);
  }

  #take(tick: LiveTick): void {
    this.#tick = tick;
    this.#showState();
    this.#refresh();
    this.#histories.ask().then(
      () => this.#render(),
      // Those that are known stay; the next tick asks again.
      () => {},
    );
  }

  #lose(reason: string): void {
    this.#isConnected = false;
    setText(byId('status'), `${reason}; trying again`);
    this.#showState();
    this.#render();
  }

  /** Takes up the newest tick, and the histories where they are for another choice. */
  #refresh(): void {
    const tick = this.#tick;
    if (tick === undefined) return;
    const estimator = this.#estimator(tick);
    const { span, from, to } = this.#choice;
    const needed = JSON.stringify([tick.chosen, estimator, span, from, to]);
    if (needed !== this.#loaded) {
      this.#loaded = needed;
      this.#histories.load(this.#choice, tick, estimator).then(
        () => this.#render(),
        (error: Error) => {
          // Aborted for a newer choice, or cut: the next tick tries again.
          if (error.name !== 'AbortError' && this.#loaded === needed) this.#loaded = '';
        },
      );
    }
    this.#histories.add(tick, timeRange(this.#choice, tick.paneEnd).since);
    this.#render();
  }

  /** Once a frame, however much has changed. */
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
      for (const dialog of this.#dialogs) dialog.show(tick.chosen.window);
    });
  }

  #view(tick: LiveTick, estimator: string): View {
    const { tables, alarms, happenings } = this.#histories;
    const raised = alarms.map(({ at, series, suppressed }) => ({
      ...{ at, kind: 'alarm' as const, text: `alarm: ${series}` },
      isSuppressed: suppressed !== null,
    }));
    const happened = happenings.map(({ time, kind, text, model }) => ({
      ...{ at: time, kind, isSuppressed: false },
      text: `${MARK_WORDS[kind]}${model === undefined ? '' : ` of ${model}`}: ${text}`,
    }));
    const marks = [...happened, ...raised];
    const range = timeRange(this.#choice, tick.paneEnd);
    const shown = { tick, choice: this.#choice, estimator, tables, alarms, happenings, marks };
    return {
      ...shown,
      sourceMarks: sourceMarks(tables.propensity),
      ...range,
      states: this.#states,
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

/** What has come so far, while there are no numbers. */
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
  // What scrolls has to be reached by keyboard.
  place.tabIndex = 0;
  place.replaceChildren(tableElement('Events so far', titles, lines));
}
