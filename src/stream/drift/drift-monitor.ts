import type { Alarm } from '../../drift/alarm.js';
import type { Pane } from '../../drift/pane.js';
import { type Judgement, type WatchState, watch } from '../../drift/watch.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { Snapshot } from '../snapshot.js';
import { hitShift, modelsBehind, topItems } from './alarm-evidence.js';
import type { DriftOptions } from './drift-options.js';
import { type DriftCounts, driftReadings, trafficsOf } from './drift-readings.js';
import type { DriftScore } from './drift-score.js';
import type { Traffic } from './traffic.js';

const HOUR_MS = 3_600_000;
/** Hits of a metric without a cut-off: items among the first so many of a list. */
const DEPTH_WITHOUT_CUT_OFF = 10;

/** All that has to be stored to go on as if nothing had happened: JSON of it is enough. */
export interface DriftState {
  series: WatchState;
  scores: DriftScore[];
  /** Alarms that are still shown; `until` is event time, ms, exclusive. */
  held: { alarm: Alarm; until: number }[];
  /** End of the newest pane that was judged, event time, ms; null before the first. */
  observedTo: number | null;
}

/** What the detectors see of a tick, beside its snapshot. */
export interface DriftSources extends DriftCounts {
  readonly items: {
    readonly size: number;
    text(item: number): string;
    compare(a: number, b: number): number;
  };
  /** Rows of all partitions that are still kept. */
  readonly rows: Iterable<PaneRows>;
  readonly tickMs: number;
}

/**
 * Watches what each disjoint stretch of the drift window says of every series, and keeps the alarms
 * that are raised. A function of the snapshots so far, so of the log.
 */
export class DriftMonitor {
  readonly #options: DriftOptions;
  #state: DriftState = { series: {}, scores: [], held: [], observedTo: null };

  constructor(options: DriftOptions) {
    this.#options = options;
  }

  /** What `restore` takes; to be asked for between two ticks. */
  stored(): string {
    return JSON.stringify({ options: this.#options, state: this.#state });
  }

  /** Goes on from a stored state. One of other options says nothing here: detectors start anew. */
  restore(stored: string): void {
    const { options, state } = JSON.parse(stored) as { options: unknown; state: DriftState };
    if (JSON.stringify(options) === JSON.stringify(this.#options)) this.#state = state;
  }

  /** The snapshot with its alarms; detectors go on only where a stretch ends. */
  *observe(snapshot: Snapshot, sources: DriftSources): Generator<void, Snapshot> {
    const state = this.#state;
    const { paneEnd } = snapshot;
    state.held = state.held.filter(({ until }) => until > paneEnd);
    // After a restart the newest tick is made again: it has been learned from already.
    const isNew = state.observedTo === null || paneEnd > state.observedTo;
    if (isNew && paneEnd % this.#options.windowMs === 0) {
      yield* this.#judge(snapshot, sources);
      state.observedTo = paneEnd;
    }
    return { ...snapshot, alarms: state.held.map(({ alarm }) => alarm), drift: state.scores };
  }

  *#judge(snapshot: Snapshot, sources: DriftSources): Generator<void, void> {
    const options = this.#options;
    const state = this.#state;
    const pane = paneOf(snapshot.paneEnd, options);
    const readings = yield* driftReadings(snapshot, sources, options);
    const judgements = watch(state.series, readings, pane, options);
    state.scores = judgements.map(({ series, model, detector, evidence, threshold }) => ({
      ...{ series, model, detector, score: evidence?.score ?? null, threshold },
    }));
    yield;
    for (const judgement of judgements.filter(({ hasFired }) => hasFired)) {
      const alarm = yield* this.#alarm(judgement, pane, sources);
      const { series, detector } = alarm;
      const others = state.held.filter(
        ({ alarm: held }) => held.series !== series || held.detector !== detector,
      );
      const until = pane.to + options.hold * options.windowMs;
      state.held = [...others, { alarm, until }];
    }
  }

  *#alarm(judgement: Judgement, pane: Pane, sources: DriftSources): Generator<void, Alarm> {
    const { series, model, detector, threshold, suppressed } = judgement;
    const { score, since, size } = judgement.evidence!;
    const traffics: Traffic[] = [];
    for (const traffic of trafficsOf(sources, this.#options.windowMs)) {
      traffics.push(traffic);
      yield;
    }
    const ofTraffic = series.startsWith('gini/') || series.startsWith('popularity/');
    const shift = ofTraffic
      ? traffics.find((traffic) => traffic.model === model)!
      : yield* this.#hits(model!, since, sources, traffics);
    return {
      ...{ series, detector, since, at: pane.to, score, threshold, size, suppressed },
      models: model === null ? yield* modelsBehind(shift, traffics) : [model],
      topItems: topItems(shift, sources.items),
    };
  }

  /** Where no rows from before the change are kept any more, all interactions stand in for them. */
  *#hits(model: string, since: number, sources: DriftSources, traffics: readonly Traffic[]) {
    const { rows, models, items, tickMs } = sources;
    const id = models.find(({ name }) => name === model)!.id;
    const depth = this.#options.metric?.k ?? DEPTH_WITHOUT_CUT_OFF;
    const shift = yield* hitShift(rows, id, depth, Math.floor(since / tickMs), items.size);
    if (Array.prototype.some.call(shift.before, (count: number) => count > 0)) return shift;
    return { now: shift.now, before: traffics[0].before };
  }
}

/** The stretch that ends there, and its place in the season. */
function paneOf(to: number, { windowMs, seasonMs }: DriftOptions): Pane {
  const from = to - windowMs;
  if (seasonMs === null) return { from, to, slot: 0 };
  return { from, to, slot: Math.floor((from % seasonMs) / Math.max(HOUR_MS, windowMs)) };
}
