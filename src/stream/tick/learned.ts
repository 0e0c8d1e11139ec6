import { nameOf, type WithheldNames } from '../../estimators/feedback/withhold.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { ACROSS } from '../../features/across.js';
import type { TickView } from '../../features/work.js';
import { isGiven } from '../../rows/reading.js';
import type { FeatureOptions, LearnedTexts } from '../feature-types.js';
import type { MonitorOptions } from '../options.js';
import { type FittedGamma, GammaChoice } from './gamma-choice.js';
import { KeptRows } from './kept-rows.js';
import type { Snapshot, WindowSnapshot } from './snapshot.js';

/** State that a process needs to continue the ticks of another. */
export interface LearnedState extends LearnedTexts {
  /** The γ with which the next tick continues, over all partitions; see `GammaChoice.lastGood`. */
  readonly gamma: FittedGamma | undefined;
  /** By window: names of the estimates that were withheld at the last tick. */
  readonly withheld?: WithheldNames | undefined;
  /** The newest pane with estimates; −Infinity if there is none. */
  readonly ticked: number;
}

type LearningOptions = Pick<MonitorOptions, 'gamma' | 'maxModels'> & FeatureOptions;

/** State passed from tick to tick, without the counts and rows of partitions. */
export class Learned {
  readonly gamma: GammaChoice;
  /** Rows of the newest tick; not stored in checkpoints. */
  readonly rows: KeptRows;
  /** Latest result of each window; not stored in checkpoints. */
  readonly shown = new Map<string, WindowSnapshot>();
  /** The newest pane that was ticked by this process, or by the one that it continues. */
  ticked = Number.NEGATIVE_INFINITY;
  /** Active features with state from tick to tick. */
  readonly #across;
  /** By window: names of the estimates withheld at the last tick, for hysteresis. */
  readonly #withheld = new Map<string, ReadonlySet<string>>();

  /** @param rows store for the rows behind a tick */
  constructor(options: LearningOptions, rows = new KeptRows()) {
    const { use, default: assumed, fit } = options.gamma;
    this.rows = rows;
    this.gamma = new GammaChoice(use, assumed, fit);
    this.#across = ACROSS.flatMap((own) => {
      const begun = own.start(options);
      return begun === undefined ? [] : [{ own, begun }];
    });
  }

  get state(): LearnedState {
    return {
      gamma: this.gamma.lastGood,
      ...Object.fromEntries(this.#across.map(({ own, begun }) => [own.name, begun.stored()])),
      ticked: this.ticked,
      ...(this.#withheld.size > 0 && { withheld: withNames(this.#withheld) }),
    };
  }

  /** Add to a snapshot the reports of features with state from tick to tick. */
  observe(snapshot: Snapshot, view: TickView): Snapshot {
    let observed = snapshot;
    for (const { own, begun } of this.#across) {
      observed = begun.observe(observed, own.sources(view));
    }
    return observed;
  }

  /** Names of a window's estimates that were withheld at the previous tick. */
  withheldIn(window: string): ReadonlySet<string> | undefined {
    return this.#withheld.get(window);
  }

  /** Store a window's withheld estimates for the next tick. */
  noteWithheld(window: string, results: readonly EstimateRow[]): void {
    const names = results.flatMap((row) => (isGiven(row) ? [] : [nameOf(row)]));
    if (names.length > 0) {
      this.#withheld.set(window, new Set(names));
    } else {
      this.#withheld.delete(window);
    }
  }

  /** Continue from the ticks of another process. */
  resume({ gamma, withheld, ticked, ...texts }: LearnedState): void {
    this.ticked = ticked;
    this.shown.clear();
    this.#withheld.clear();
    for (const [window, names] of Object.entries(withheld ?? {})) {
      this.#withheld.set(window, new Set(names));
    }
    this.gamma.resume(gamma);
    for (const { own, begun } of this.#across) {
      const text = texts[own.name];
      if (text !== undefined) {
        begun.restore(text);
      }
    }
  }
}

function withNames(withheld: ReadonlyMap<string, ReadonlySet<string>>) {
  return Object.fromEntries([...withheld].map(([window, names]) => [window, [...names]]));
}
