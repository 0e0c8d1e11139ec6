import { DriftMonitor } from '../drift/drift-monitor.js';
import type { MonitorOptions } from '../options.js';
import { type FittedGamma, GammaChoice } from './gamma-choice.js';

/** What a process needs to go on with the ticks of another. */
export interface LearnedState {
  /** The last good fit of γ, over all partitions. */
  readonly gamma: FittedGamma | undefined;
  /** What the detectors of change have learned, over all partitions; as a text. */
  readonly drift?: string | undefined;
}

/** What ticks leave to the ticks after them: all else is in the counts and rows. */
export class Learned {
  readonly gamma: GammaChoice;
  /** Undefined where nothing is watched for changes. */
  readonly drift: DriftMonitor | undefined;

  constructor({ gamma, drift }: Pick<MonitorOptions, 'gamma' | 'drift'>) {
    this.gamma = new GammaChoice(gamma.use, gamma.default, gamma.fit);
    this.drift = drift && new DriftMonitor(drift);
  }

  get state(): LearnedState {
    return { gamma: this.gamma.lastGood, drift: this.drift?.stored() };
  }

  /** Goes on from ticks that another process made. */
  resume({ gamma, drift }: LearnedState): void {
    this.gamma.resume(gamma);
    if (drift !== undefined) this.drift?.restore(drift);
  }
}
