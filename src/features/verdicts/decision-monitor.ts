import { RANDOMISED } from '../../estimators/names.js';
import { isGiven } from '../../rows/reading.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { PairVerdict } from '../verdict.js';
import { DecisionMarks } from './decision-marks.js';
import type { DecisionOptions } from './decision-options.js';
import type { DecisionSources } from './decision-sources.js';
import { judgeModels, type PairMemory } from './judge-models.js';
import type { Measure, RequestCap } from './measure.js';
import { type ModelEpoch, ModelEpochs } from './model-epochs.js';
import { newPairs } from './new-pairs.js';
import { addRows, gammaPoints, PointWeights } from './pane-sums.js';
import { GAIN_SUMS, RunningSums } from './running-sums.js';

/** Number of bytes turned into characters by one call, since the number of arguments is limited. */
const AT_ONCE = 8192;

/** Encode numbers exactly as base64 of their bytes. */
function columnText(column: Float64Array | Float32Array): string {
  const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    // `apply`, because spreading uses an iterator and is several times slower.
    const some: ArrayLike<number> = bytes.subarray(at, at + AT_ONCE);
    text += String.fromCharCode.apply(null, some as number[]);
  }
  return btoa(text);
}

/** Decode the bytes of a text from `columnText`. */
function bytesOf(text: string): ArrayBuffer {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) {
    bytes[at] = raw.charCodeAt(at);
  }
  return bytes.buffer;
}

function wideColumn(text: string): Float64Array {
  return new Float64Array(bytesOf(text));
}

function narrowColumn(text: string): Float32Array {
  return new Float32Array(bytesOf(text));
}

/** State of the monitor except for the sums, stored as JSON. */
interface DecisionProgress {
  epochs: [string, ModelEpoch][];
  /** State of pairs between looks, by `pairOf`. */
  memories: Record<string, PairMemory>;
  /** Verdicts of the newest look. */
  verdicts: PairVerdict[];
  /** End of the newest pane added, event time, ms; null before the first. */
  observedTo: number | null;
  /** Time of the newest look, event time, ms; null before the first. */
  lookedAt: number | null;
  /** Source of γ in the newest pane. */
  gammaSource: string | null;
  /** Limit on requests per user and day; undefined in states stored by older versions. */
  cap?: RequestCap | null;
}

/** Stored form of the monitor, with columns of sums as text. */
interface Stored {
  readonly options: DecisionOptions;
  readonly progress: DecisionProgress;
  readonly columns: readonly (string | null)[];
  readonly marks: readonly {
    at: number;
    columns: readonly (string | null)[];
  }[];
}

/**
 * Sums each model's gains in one measure, a metric or reward per request, since its comparison
 * began, and judges pairs of models at every look. A pane's rows are weighted once, when it closes.
 * The state is a function of the log.
 */
export class DecisionMonitor {
  readonly #options: DecisionOptions;
  readonly #room: number;
  readonly #measure: Measure;
  #sums: RunningSums;
  #marks: DecisionMarks;
  #epochs: ModelEpochs;
  #progress: DecisionProgress = {
    epochs: [],
    memories: {},
    verdicts: [],
    observedTo: null,
    lookedAt: null,
    gammaSource: null,
  };
  /** Cached text of each mark; marks do not change. */
  readonly #markTexts = new WeakMap<Float32Array, string>();
  #stored: string | undefined;

  /** @param room maximum number of models. */
  constructor(options: DecisionOptions, room: number, measure: Measure = gainMeasure(options)) {
    this.#options = options;
    this.#room = room;
    this.#measure = measure;
    this.#sums = new RunningSums(room, measure.shape);
    this.#marks = new DecisionMarks(options);
    this.#epochs = new ModelEpochs(options);
  }

  /** State as text for `restore`, to be taken between two ticks. */
  stored(): string {
    this.#stored ??= this.#written();
    return this.#stored;
  }

  /** Continue from a stored state. If it has other options, the comparison starts again. */
  restore(stored: string): void {
    this.#stored = stored;
    const { options, progress, columns, marks } = JSON.parse(stored) as Stored;
    if (JSON.stringify(options) !== JSON.stringify(this.#options)) return;
    const sums = new RunningSums(this.#room, this.#measure.shape);
    const read = columns.map((text) => (text === null ? undefined : wideColumn(text)));
    // Stored sums of another shape cannot be used, so start again.
    if (read.some((column) => column !== undefined && column.length !== sums.length)) return;
    this.#progress = {
      ...progress,
      verdicts: progress.verdicts.map(withUnknown),
    };
    this.#epochs = new ModelEpochs(this.#options, progress.epochs);
    sums.columns.push(...read);
    this.#sums = sums;
    const ofMarks = marks.map((mark) => ({
      at: mark.at,
      columns: mark.columns.map((text) => (text === null ? undefined : narrowColumn(text))),
    }));
    this.#marks = new DecisionMarks(this.#options, ofMarks);
  }

  /** Add the verdicts of the newest look to the snapshot. */
  observe(snapshot: Snapshot, sources: DecisionSources): Snapshot {
    const progress = this.#progress;
    const { paneEnd } = snapshot;
    // After a restart the newest tick is computed again, but the sums already contain its rows.
    if (progress.observedTo === null || paneEnd > progress.observedTo) {
      this.#stored = undefined;
      this.#catchUp(paneEnd - sources.tickMs);
      this.#follow(snapshot);
      progress.cap = this.#measure.add({
        sums: this.#sums,
        epochs: this.#epochs,
        snapshot,
        sources,
        cap: progress.cap ?? null,
        dayMs: this.#options.dayMs,
      });
      this.#restartChanged(snapshot, sources.modelMarks);
      if (paneEnd % this.#options.lookMs === 0) {
        this.#look(snapshot, sources);
      }
      progress.observedTo = paneEnd;
    }
    const { models } = snapshot;
    const verdicts = progress.verdicts.filter(
      ({ model, reference }) => models.includes(model) && models.includes(reference),
    );
    return {
      ...snapshot,
      verdicts: verdicts.map((verdict) => this.#withChange(verdict)),
    };
  }

  /** Mark a verdict as outdated if one of its models has restarted since the look. */
  #withChange(verdict: PairVerdict): PairVerdict {
    const since = (name: string) => this.#epochs.byName.get(name)?.since ?? verdict.since;
    const { model, reference } = verdict;
    const changed = since(model) < since(reference) ? reference : model;
    if (since(changed) <= verdict.at) return verdict;
    const { restarts = [], cause } = this.#epochs.byName.get(changed) ?? {};
    const startsAgain = since(changed);
    return {
      ...verdict,
      changed,
      startsAgain,
      changedAt: restarts.at(-1) ?? startsAgain,
      ...(cause && { changedBy: cause }),
    };
  }

  /**
   * Add the marks of looks that were due during panes without events; the sums did not change
   * meanwhile.
   */
  #catchUp(paneStart: number): void {
    const { lookMs } = this.#options;
    const due = Math.floor(paneStart / lookMs) * lookMs;
    const { columns } = this.#sums.mark(due);
    for (let at = (this.#progress.lookedAt ?? due) + lookMs; at <= due; at += lookMs) {
      this.#marks.add({ at, columns }, this.#epochs.starts);
    }
    this.#progress.lookedAt = Math.max(this.#progress.lookedAt ?? due, due);
  }

  #follow({ models, paneEnd }: Snapshot): void {
    const { left, taken } = this.#epochs.follow(models, paneEnd);
    for (const place of left) {
      delete this.#sums.columns[place];
      this.#marks.forget(place);
    }
    for (const place of taken) {
      this.#sums.open(place);
    }
  }

  /**
   * Restart the comparison of each model with an alarm or a mark. If the measure depends on γ and
   * the source of γ has changed, restart all models instead.
   */
  #restartChanged(
    { alarms, paneEnd, models, propensity }: Snapshot,
    marks: DecisionSources['modelMarks'],
  ): void {
    const source = propensity.source === 'last_good' ? 'fit' : propensity.source;
    const before = this.#progress.gammaSource ?? source;
    this.#progress.gammaSource = source;
    const changed = alarms
      .filter(({ at, suppressed }) => at === paneEnd && suppressed === null)
      // A change in all traffic affects both models of a pair.
      .filter(({ series }) => !series.endsWith('/interactions'))
      .flatMap((alarm) => alarm.models);
    const marked = this.#epochs.changedSince(marks, paneEnd);
    if (this.#measure.restsOnGamma && source !== before) {
      this.#epochs.restart(models, paneEnd, 'gamma');
      return;
    }
    this.#epochs.restart(marked, paneEnd, 'mark');
    this.#epochs.restart(
      changed.filter((name) => !marked.has(name)),
      paneEnd,
      'alarm',
    );
  }

  #look(snapshot: Snapshot, sources: DecisionSources): void {
    const progress = this.#progress;
    const { paneEnd: at } = snapshot;
    const { corrected } = this.#measure.shape;
    const gammas = gammaPoints(snapshot.propensity.gamma, sources.plausibleGamma);
    this.#marks.add(this.#sums.mark(at), this.#epochs.starts);
    const judged = judgeModels({
      at,
      sums: this.#sums,
      marks: this.#marks,
      epochs: this.#epochs,
      measure: this.#measure,
      options: this.#options,
      memories: progress.memories,
      snapshot,
      gammas: corrected.map((point) => gammas[point]),
    });
    progress.verdicts = judged.verdicts;
    progress.memories = judged.memories;
    progress.lookedAt = at;
  }

  #written(): string {
    const written: Stored = {
      options: this.#options,
      progress: {
        ...this.#progress,
        epochs: [...this.#epochs.byName],
      },
      columns: Array.from(this.#sums.columns, (column) => (column ? columnText(column) : null)),
      marks: this.#marks.marks.map(({ at, columns }) => ({
        at,
        columns: Array.from(columns, (column) => (column ? this.#markText(column) : null)),
      })),
    };
    return JSON.stringify(written);
  }

  #markText(column: Float32Array): string {
    const text = this.#markTexts.get(column) ?? columnText(column);
    this.#markTexts.set(column, text);
    return text;
  }
}

/** Convert a verdict stored by an older version. */
function rested(verdict: PairVerdict): PairVerdict {
  if (verdict.rung !== undefined) return verdict;
  const rung = verdict.metric === 'value' ? 'experiment' : 'metric';
  const state = rung === 'metric' && verdict.state === 'prefer' ? 'leads' : verdict.state;
  const reason = (verdict.reason as string | null) === 'withheld' ? 'unnamed' : verdict.reason;
  return {
    ...verdict,
    rung,
    state,
    reason,
  };
}

/** Restore NaN, which JSON stores as null. */
function withUnknown(verdict: PairVerdict): PairVerdict {
  const figures = [
    'value',
    'stdErr',
    'lower',
    'upper',
    'margin',
    'uncorrected',
    'lastDay',
  ] as const;
  const known = figures.map((name) => [name, verdict[name] ?? Number.NaN]);
  return {
    ...rested(verdict),
    ...Object.fromEntries(known),
  };
}

/**
 * Measure that judges models by the deciding metric, corrected for popularity. If the causes of
 * interactions are determined, only organic interactions count.
 */
function gainMeasure(options: DecisionOptions): Measure {
  return {
    name: options.metric,
    rung: 'metric',
    shape: GAIN_SUMS,
    restsOnGamma: true,
    add({ sums, epochs, snapshot: { paneEnd, propensity }, sources }) {
      const pane = paneEnd / sources.tickMs - 1;
      const gammas = gammaPoints(propensity.gamma, sources.plausibleGamma);
      const weights = new PointWeights(sources.popularity, gammas, sources.options);
      const models = sources.models.map(({ id, name }) => {
        return {
          id,
          place: epochs.byName.get(name)!.place,
        };
      });
      const { partitions, pairs, heavyFrom } = sources;
      const { metric } = options;
      for (const { rows, userCounts, keyOf } of partitions) {
        const newest = rows.find((each) => each.pane === pane);
        if (newest === undefined) continue;
        const found = newPairs(rows, {
          pane,
          ...pairs,
        });
        const light = found.filter((row) => (userCounts[newest.user[row]] ?? 0) < heavyFrom);
        addRows(sums, newest, {
          rows: light,
          weights,
          models,
          keyOf,
          metric,
        });
      }
      return null;
    },
    /**
     * Objection to a pair if a metric of one of its models is withheld in a window; null if there
     * is none. If interactions give the id of their list, a withheld metric is no objection, since
     * the sums leave out rows driven by recommendations.
     */
    objection(model, reference, { windows }) {
      const withheld = windows.find(
        (window) =>
          window.feedback?.source !== 'named' &&
          [model, reference].some((each) => isWithheld(each, window)),
      );
      if (withheld === undefined) return null;
      return {
        reason: 'unnamed',
        figures: { named: withheld.feedback!.named },
      };
    },
    isOfUncaused: (model, { windows }) =>
      windows.some((window) => window.feedback?.source === 'named' && isWithheld(model, window)),
  };
}

/**
 * Whether a metric of the model is withheld in a window. It never is if the causes of interactions
 * are not determined.
 */
function isWithheld(model: string, { feedback, results }: WindowSnapshot): boolean {
  if (feedback === undefined) return false;
  return results.some(
    (row) => row.model === model && row.estimator !== RANDOMISED && !isGiven(row),
  );
}
