import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Objection } from '../evidence.js';
import type { Rung } from '../verdict.js';
import type { DecisionSources } from './decision-sources.js';
import type { ModelEpochs } from './model-epochs.js';
import type { RunningSums, SumsShape } from './running-sums.js';

/** How many requests of a user count in a day; settled by the first one. */
export interface RequestCap {
  /** Begin of that day, event time, ms. */
  readonly since: number;
  readonly most: number;
}

/** A pane that has closed, and the sums that it is added to. */
interface ClosedPane {
  readonly sums: RunningSums;
  readonly epochs: ModelEpochs;
  /** Of the pane’s end. */
  readonly snapshot: Snapshot;
  readonly sources: DecisionSources;
  readonly cap: RequestCap | null;
  readonly dayMs: number;
}

/** What models are judged by. */
export interface Measure {
  /** As verdicts name it. */
  readonly name: {
    readonly metric: string;
    readonly k: number | null;
  };
  readonly rung: Rung;
  readonly shape: SumsShape;
  /**
   * Index of the sum with an arm's rewards from the first position at which its list and another's
   * differ.
   */
  readonly belowPoint?: (otherPlace: number) => number | undefined;
  /** Whether users examine lists from the top, judged by the longest window. */
  isBelowRight?(model: string, reference: string, snapshot: Snapshot): boolean;
  /** Whether a new source of γ restarts the comparison. */
  readonly restsOnGamma: boolean;
  /** Add a closed pane. @returns the cap for the next one. */
  add(closed: ClosedPane): RequestCap | null;
  /** Why the numbers of a pair, and so its verdict, are withheld or refused. */
  objection(model: string, reference: string, snapshot: Snapshot): Objection | null;
  /** Whether a model's estimates are withheld, so organic interactions are summed instead. */
  isOfUncaused?(model: string, snapshot: Snapshot): boolean;
}
