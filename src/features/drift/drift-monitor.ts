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

/**
 * For each first part of a series name, the number of parts before the model. For example, 3 parts
 * precede it in `estimate/snips/recall@10/<model>`.
 */
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
 * Drop the series of models that are not evaluated any more. If such a model returns, its series
 * are learned from scratch.
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

/** Model of a series; undefined for all traffic. Model names may contain any character. */
function modelOf(series: string): string | undefined {
  const parts = series.split('/');
  const model = parts.slice(PARTS[parts[0]] ?? Number.POSITIVE_INFINITY).join('/');
  return model === '' ? undefined : model;
}

const HOUR_MS = 3_600_000;

/** State of the monitor as stored between ticks, as JSON. */
export interface DriftState {
  series: WatchState;
  scores: DriftScore[];
  /** Alarms still displayed, each until an event time (ms, exclusive). */
  held: {
    alarm: Alarm;
    until: number;
  }[];
  /** End of the newest evaluated pane, event time, ms; null before the first. */
  observedTo: number | null;
  /** Source of γ in the newest evaluated pane. */
  gammaSource?: Snapshot['propensity']['source'];
  /**
   * Models that sent lists in the current drift window; undefined unless the detector `vanished` is
   * configured.
   */
  lists?: ModelListsState;
  /** Notices still displayed, each until an event time (ms, exclusive). */
  notices?: {
    notice: Notice;
    until: number;
  }[];
}

/**
 * Evaluates every monitored series at the end of each drift window, and stores the alarms. Drift
 * windows do not overlap. The result depends only on the snapshots so far, and so only on the log.
 */
export class DriftMonitor {
  readonly #options: DriftOptions;
  #state: DriftState = {
    series: {},
    scores: [],
    held: [],
    observedTo: null,
  };
  /** Cached JSON of the series, which are large and change only at the end of a drift window. */
  #storedSeries: string | undefined;

  constructor(options: DriftOptions) {
    this.#options = options;
  }

  /** The state as text for `restore`; to be called between two ticks. */
  stored(): string {
    const { series, ...rest } = this.#state;
    this.#storedSeries ??= JSON.stringify(series);
    const others = JSON.stringify(rest).slice(1);
    const options = JSON.stringify(this.#options);
    return `{"options":${options},"state":{"series":${this.#storedSeries},${others}}`;
  }

  /**
   * Continue from a stored state. If it was stored with other options, detectors start from
   * scratch.
   */
  restore(stored: string): void {
    const { options, state } = JSON.parse(stored) as {
      options: object;
      state: DriftState;
    };
    if (sorted(options) !== sorted(this.#options)) return;
    this.#state = state;
    this.#storedSeries = undefined;
  }

  /**
   * Return the snapshot with the current alarms. Detectors run only at the end of a drift window.
   */
  observe(snapshot: Snapshot, sources: DriftSources): Snapshot {
    const state = this.#state;
    const { paneEnd } = snapshot;
    state.held = state.held.filter(({ until }) => until > paneEnd);
    this.#noteLists(snapshot, sources);
    // After a restart the newest tick is computed again, but detectors have already processed it.
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

  /**
   * Readings of all known models: whether each sent lists in the drift window. Also adds a notice
   * for each new model.
   */
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

  /**
   * Drop the state of series that depend on γ if γ now comes from another source, such as a fit
   * instead of a fixed value.
   */
  #forgetOtherGamma({ propensity }: Snapshot, readings: readonly Reading[]): void {
    const state = this.#state;
    // The last good fit counts as a fit.
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

/** The drift window that ends at `to`, and its seasonal slot. */
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

/** Options as JSON with sorted keys. */
function sorted(options: object): string {
  const written = Object.entries(options).filter(([, value]) => value !== undefined);
  return JSON.stringify(written.sort(([a], [b]) => (a < b ? -1 : 1)));
}
