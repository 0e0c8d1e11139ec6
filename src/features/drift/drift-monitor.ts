import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Alarm, Notice } from '../alarm.js';
import type { DriftOptions, DriftScore } from './drift-options.js';
import { type DriftSources, driftReadings } from './drift-readings.js';
import {
  type ModelListsState,
  newModelLists,
  newModels,
  noteLists,
  presenceReadings,
} from './model-lists.js';
import { raisedAlarm } from './raised-alarm.js';
import type { Pane, PresenceReading, Reading } from './reading.js';
import { type WatchState, watch } from './watch.js';

/** Number of parts of a series name before the model's name. */
const PARTS: Readonly<Record<string, number>> = {
  estimate: 3,
  gap: 3,
  uncaused: 3,
  gini: 2,
  popularity: 2,
  value: 2,
  on_policy: 1,
  lists: 1,
};

/**
 * Forgets the series of models that are not evaluated any more: a model that made way is no longer
 * watched, and names that came once must not stay forever. One that is back is learned again.
 */
export function forgetRetired(series: WatchState, models: readonly string[]): void {
  const evaluated = new Set(models);
  for (const name of Object.keys(series)) {
    const model = modelOf(name);
    if (model !== undefined && !evaluated.has(model)) {
      delete series[name];
    }
  }
}

/** Undefined for a series of all traffic. A model's name may hold anything. */
function modelOf(series: string): string | undefined {
  const parts = series.split('/');
  const model = parts.slice(PARTS[parts[0]] ?? Number.POSITIVE_INFINITY).join('/');
  return model === '' ? undefined : model;
}

const HOUR_MS = 3_600_000;

/** All that has to be stored to go on as if nothing had happened: JSON of it is enough. */
export interface DriftState {
  series: WatchState;
  scores: DriftScore[];
  /** Alarms that are still shown; `until` is event time, ms, exclusive. */
  held: {
    alarm: Alarm;
    until: number;
  }[];
  /** End of the newest pane that was judged, event time, ms; null before the first. */
  observedTo: number | null;
  /** Where γ came from in the newest pane that was judged. */
  gammaSource?: Snapshot['propensity']['source'];
  /** Where models are watched for their lists: what was noted, and the notices that are still shown. */
  lists?: ModelListsState;
  notices?: {
    notice: Notice;
    until: number;
  }[];
}

/**
 * Watches every series once per disjoint drift window, and keeps the alarms that are raised. The
 * result depends only on the snapshots so far, and so on the log.
 */
export class DriftMonitor {
  readonly #options: DriftOptions;
  #state: DriftState = {
    series: {},
    scores: [],
    held: [],
    observedTo: null,
  };
  /** The series are much, and change only where a stretch ends. */
  #storedSeries: string | undefined;

  constructor(options: DriftOptions) {
    this.#options = options;
  }

  /** What `restore` takes; to be asked for between two ticks. */
  stored(): string {
    const { series, ...rest } = this.#state;
    this.#storedSeries ??= JSON.stringify(series);
    const others = JSON.stringify(rest).slice(1);
    const options = JSON.stringify(this.#options);
    return `{"options":${options},"state":{"series":${this.#storedSeries},${others}}`;
  }

  /** Goes on from a stored state. One of other options says nothing here: detectors start again. */
  restore(stored: string): void {
    const { options, state } = JSON.parse(stored) as {
      options: object;
      state: DriftState;
    };
    if (sorted(options) !== sorted(this.#options)) return;
    this.#state = state;
    this.#storedSeries = undefined;
  }

  /** The snapshot with its alarms; detectors go on only where a stretch ends. */
  observe(snapshot: Snapshot, sources: DriftSources): Snapshot {
    const state = this.#state;
    const { paneEnd } = snapshot;
    state.held = state.held.filter(({ until }) => until > paneEnd);
    this.#noteLists(snapshot, sources);
    // After a restart the newest tick is made again: it has been learned from already.
    const isNew = state.observedTo === null || paneEnd > state.observedTo;
    if (isNew && paneEnd % this.#options.windowMs === 0) {
      this.#storedSeries = undefined;
      this.#judge(snapshot, sources);
      state.observedTo = paneEnd;
    }
    return {
      ...snapshot,
      alarms: state.held.map(({ alarm }) => alarm),
      drift: state.scores,
      ...(state.notices && { notices: state.notices.map(({ notice }) => notice) }),
    };
  }

  #noteLists({ paneEnd }: Snapshot, { listing = [] }: DriftSources): void {
    if (!this.#options.detectors.includes('vanished')) return;
    const state = this.#state;
    state.lists ??= newModelLists();
    state.notices = (state.notices ?? []).filter(({ until }) => until > paneEnd);
    noteLists(state.lists, listing, paneEnd, this.#options.windowMs);
  }

  /** What the pane says of which models send lists; new models are noticed. */
  #presence(snapshot: Snapshot, pane: Pane): PresenceReading[] {
    const { lists, notices, series } = this.#state;
    if (lists === undefined || notices === undefined) return [];
    const { learn, hold, windowMs } = this.#options;
    const until = pane.to + hold * windowMs;
    const known = Object.keys(series);
    for (const model of newModels(lists, known, learn)) {
      notices.push({
        notice: {
          kind: 'new_model',
          model,
          since: pane.from,
          at: pane.to,
        },
        until,
      });
    }
    return presenceReadings(lists, known, snapshot, windowMs);
  }

  /** Under a γ from elsewhere a series is another one: what was normal of it is learned again. */
  #forgetOtherGamma({ propensity }: Snapshot, readings: readonly Reading[]): void {
    const state = this.#state;
    // The last good fit goes on as the fit.
    const source = propensity.source === 'last_good' ? 'fit' : propensity.source;
    const before = state.gammaSource ?? source;
    state.gammaSource = source;
    if (before === source) return;
    for (const reading of readings) {
      if (reading.kind === 'level' && reading.restsOnGamma) {
        delete state.series[reading.series];
      }
    }
  }

  #judge(snapshot: Snapshot, sources: DriftSources): void {
    const options = this.#options;
    const state = this.#state;
    const pane = paneOf(snapshot.paneEnd, options);
    forgetRetired(state.series, snapshot.models);
    const readings: Reading[] = driftReadings(snapshot, sources, options);
    this.#forgetOtherGamma(snapshot, readings);
    readings.push(...this.#presence(snapshot, pane));
    const judgements = watch(state.series, readings, pane, options);
    state.scores = judgements.map(({ series, model, detector, evidence, threshold }) => ({
      series,
      model,
      detector,
      score: evidence?.score ?? null,
      threshold,
    }));
    for (const judgement of judgements.filter(({ hasFired }) => hasFired)) {
      const alarm = raisedAlarm(judgement, pane, sources, options);
      const { series, detector } = alarm;
      const others = state.held.filter(
        ({ alarm: held }) => held.series !== series || held.detector !== detector,
      );
      const until = pane.to + options.hold * options.windowMs;
      state.held = [...others, { alarm, until }];
    }
  }
}

/** The stretch that ends there, and its place in the season. */
function paneOf(to: number, { windowMs, seasonMs }: DriftOptions): Pane {
  const from = to - windowMs;
  if (seasonMs === null) {
    return {
      from,
      to,
      slot: 0,
    };
  }
  return {
    from,
    to,
    slot: Math.floor((from % seasonMs) / Math.max(HOUR_MS, windowMs)),
  };
}

/** As JSON, whatever the order in which the names were written. */
function sorted(options: object): string {
  const written = Object.entries(options).filter(([, value]) => value !== undefined);
  return JSON.stringify(written.sort(([a], [b]) => (a < b ? -1 : 1)));
}
