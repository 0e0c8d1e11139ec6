import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Objection } from '../evidence.js';
import type { Rung } from '../verdict.js';
import type { DecisionSources } from './decision-sources.js';
import type { ModelEpochs } from './model-epochs.js';
import type { RunningSums, SumsShape } from './running-sums.js';

/** Limit on the requests per user and day that count, as found on the first day. */
export interface RequestCap {
  /** Start of this first day, event time, ms. */
  readonly since: number;
  readonly most: number;
}

/** A closed pane, and the sums to update. */
interface ClosedPane {
  readonly sums: RunningSums;
  readonly epochs: ModelEpochs;
  /** Snapshot at the pane's end. */
  readonly snapshot: Snapshot;
  readonly sources: DecisionSources;
  readonly cap: RequestCap | null;
  readonly dayMs: number;
}

/** A measure by which models are judged. */
export interface Measure {
  /** Name in verdicts. */
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
