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
  /** The last good fit of γ, over all partitions. */
  readonly gamma: FittedGamma | undefined;
  /** Names of the estimates that are withheld, by window; where causes are followed. */
  readonly withheld?: WithheldNames | undefined;
  /** The newest pane that has estimates; −Infinity before there is one. */
  readonly ticked: number;
}

type LearningOptions = Pick<MonitorOptions, 'gamma' | 'maxModels'> & FeatureOptions;

/** What ticks pass on to later ticks, beside counts and rows. */
export class Learned {
  readonly gamma: GammaChoice;
  /** Of the newest tick; no process goes on with them. */
  readonly rows: KeptRows;
  /** What was computed last of each window; no process goes on with it. */
  readonly shown = new Map<string, WindowSnapshot>();
  /** The newest pane that was ticked, here or by the process before. */
  ticked = Number.NEGATIVE_INFINITY;
  /** What is withheld is given again later than it was withheld: so the tick before counts. */
  /** Features that are asked for and go on from tick to tick. */
  readonly #across;
  readonly #withheld = new Map<string, ReadonlySet<string>>();

  /** @param rows where a tick leaves its rows */
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

  /** The snapshot with what features say of it that go on from tick to tick. */
  observe(snapshot: Snapshot, view: TickView): Snapshot {
    let observed = snapshot;
    for (const { own, begun } of this.#across) {
      observed = begun.observe(observed, own.sources(view));
    }
    return observed;
  }

  /** Names of the estimates of a window that the tick before withheld. */
  withheldIn(window: string): ReadonlySet<string> | undefined {
    return this.#withheld.get(window);
  }

  /** Takes a window's estimates for the tick after. */
  noteWithheld(window: string, results: readonly EstimateRow[]): void {
    const names = results.flatMap((row) => (isGiven(row) ? [] : [nameOf(row)]));
    if (names.length > 0) {
      this.#withheld.set(window, new Set(names));
    } else {
      this.#withheld.delete(window);
    }
  }

  /** Goes on from ticks that another process made. */
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
