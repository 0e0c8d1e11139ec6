import { nameOf, type WithheldNames } from '../estimators/feedback/withhold.js';
import type { EstimateRow } from '../estimators/results/estimate.js';
import { DriftMonitor } from '../features/drift/drift-monitor.js';
import { Decisions } from '../features/verdicts/decisions.js';
import { isGiven } from '../rows/reading.js';
import { type FittedGamma, GammaChoice } from './gamma-choice.js';
import { KeptRows } from './kept-rows.js';
import type { MonitorOptions } from './options.js';
import type { WindowSnapshot } from './snapshot.js';

/** What a process needs to go on with the ticks of another. */
export interface LearnedState {
  /** The last good fit of γ, over all partitions. */
  readonly gamma: FittedGamma | undefined;
  /** What the detectors of change have learned, over all partitions; as a text. */
  readonly drift?: string | undefined;
  /** What models gained since each of them began, and the verdicts on them; as a text. */
  readonly decision?: string | undefined;
  /** Names of the estimates that are withheld, by window; where causes are followed. */
  readonly withheld?: WithheldNames | undefined;
  /** The newest pane that has estimates; −Infinity before there is one. */
  readonly ticked: number;
}

type LearningOptions = Pick<MonitorOptions, 'gamma' | 'drift' | 'decision' | 'maxModels' | 'value'>;

/** What ticks leave to the ticks after them: all else is in the counts and rows. */
export class Learned {
  readonly gamma: GammaChoice;
  /** Undefined where nothing is watched for changes. */
  readonly drift: DriftMonitor | undefined;
  /** Undefined where no verdicts are asked for. */
  readonly decision: Decisions | undefined;
  /** Of the newest tick; no process goes on with them. */
  readonly rows: KeptRows;
  /** What was computed last of each window; no process goes on with it. */
  readonly shown = new Map<string, WindowSnapshot>();
  /** The newest pane that was ticked, here or by the process before. */
  ticked = Number.NEGATIVE_INFINITY;
  /** What is withheld is given again later than it was withheld: so the tick before counts. */
  readonly #withheld = new Map<string, ReadonlySet<string>>();

  /** @param rows where a tick leaves its rows */
  constructor(
    { gamma, drift, decision, maxModels, value }: LearningOptions,
    rows = new KeptRows(),
  ) {
    this.rows = rows;
    this.gamma = new GammaChoice(gamma.use, gamma.default, gamma.fit);
    this.drift = drift && new DriftMonitor(drift);
    this.decision = decision && new Decisions(decision, maxModels, value !== undefined);
  }

  get state(): LearnedState {
    return {
      gamma: this.gamma.lastGood,
      drift: this.drift?.stored(),
      ...(this.decision && { decision: this.decision.stored() }),
      ticked: this.ticked,
      ...(this.#withheld.size > 0 && { withheld: withNames(this.#withheld) }),
    };
  }

  /** Names of the estimates of a window that the tick before withheld. */
  withheldIn(window: string): ReadonlySet<string> | undefined {
    return this.#withheld.get(window);
  }

  /** Takes a window's estimates for the tick after. */
  noteWithheld(window: string, results: readonly EstimateRow[]): void {
    const names = results.flatMap((row) => (isGiven(row) ? [] : [nameOf(row)]));
    if (names.length > 0) this.#withheld.set(window, new Set(names));
    else this.#withheld.delete(window);
  }

  /** Goes on from ticks that another process made. */
  resume({ gamma, drift, decision, withheld, ticked }: LearnedState): void {
    this.ticked = ticked;
    this.shown.clear();
    this.#withheld.clear();
    for (const [window, names] of Object.entries(withheld ?? {})) {
      this.#withheld.set(window, new Set(names));
    }
    this.gamma.resume(gamma);
    if (drift !== undefined) this.drift?.restore(drift);
    if (decision !== undefined) this.decision?.restore(decision);
  }
}

function withNames(withheld: ReadonlyMap<string, ReadonlySet<string>>) {
  return Object.fromEntries([...withheld].map(([window, names]) => [window, [...names]]));
}
