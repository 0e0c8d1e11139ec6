import type { LiveTick } from '../adapters/http/schema/live-tick.js';
import type { LiveState } from '../adapters/http/schema/state/live-state.js';
import { LEADING, UNCORRECTED } from '../estimators/names.js';
import { FEATURE_PANELS } from '../features/panels.js';
import { sourceMarks } from './charts/source-marks.js';
import { type Choice, readChoice, tickQuery, timeRange, writeChoice } from './choice.js';
import { Controls } from './controls.js';
import { byId, setText } from './element.js';
import { Connection } from './live/connection.js';
import { Histories } from './live/histories.js';
import { Login } from './live/login.js';
import { MARK_WORDS } from './marks/mark-words.js';
import { ModelList } from './models/model-list.js';
import { orderedModels } from './models/model-order.js';
import { Page } from './page.js';
import { ALARMS } from './panels/now/alarms.js';
import { EVENTS } from './panels/now/events.js';
import { EXPOSURE } from './panels/now/exposure.js';
import { GAMMA_BANDS } from './panels/now/gamma-bands.js';
import { LORENZ } from './panels/now/lorenz.js';
import { MODEL_GAPS } from './panels/now/model-gaps.js';
import { NUMBERS } from './panels/now/numbers.js';
import { PARTITIONS } from './panels/now/partitions.js';
import { REQUEST_VALUES } from './panels/now/request-values.js';
import { SHOWN_LISTS } from './panels/now/shown-lists.js';
import { UNCAUSED } from './panels/now/uncaused.js';
import { WEIGHTS } from './panels/now/weights.js';
import { GINI, TOP_SHARE } from './panels/over-time/concentration.js';
import { ESTIMATES } from './panels/over-time/estimates.js';
import { GAMMA } from './panels/over-time/gamma.js';
import { REWARDS } from './panels/over-time/rewards.js';
import { SAMPLES } from './panels/over-time/samples.js';
import { VALUE_DIFFERENCES } from './panels/over-time/value-differences.js';
import { VALUES } from './panels/over-time/values.js';
import { showArrivals } from './state/arrivals.js';
import { type ShownState, shownStates } from './state/shown-states.js';
import { showStrip } from './state/strip.js';
import { showStatus } from './state/tab.js';
import type { View } from './view.js';
import { ItemView } from './why/item-view.js';
import { WHY } from './why/why-panel.js';

/** The panels in their order; each is one file. */
const PANELS = [
  MODEL_GAPS,
  ESTIMATES,
  WHY,
  UNCAUSED,
  ...FEATURE_PANELS,
  REQUEST_VALUES,
  VALUES,
  VALUE_DIFFERENCES,
  SHOWN_LISTS,
  REWARDS,
  GINI,
  TOP_SHARE,
  LORENZ,
  EXPOSURE,
  GAMMA,
  GAMMA_BANDS,
  WEIGHTS,
  SAMPLES,
  ALARMS,
  NUMBERS,
  EVENTS,
  PARTITIONS,
];

/** What the page holds, and what happens when something of it changes. */
class Application {
  readonly #histories = new Histories();
  readonly #page = new Page(PANELS);
  readonly #item = new ItemView();
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
      this.#item.show(tick.chosen.window);
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
