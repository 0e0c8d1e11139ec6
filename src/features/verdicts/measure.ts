import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Objection } from '../evidence.js';
import type { Rung } from '../verdict.js';
import type { DecisionSources } from './decision-sources.js';
import type { ModelEpochs } from './model-epochs.js';
import type { RunningSums, SumsShape } from './running-sums.js';

/**
 * Largest number of requests of a user that count per day. The number is determined on the first
 * day.
 */
export interface RequestCap {
  /** Start of the day on which `most` is determined, event time, ms. */
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
   * Index of the sum of an arm's rewards from the first position on at which its list differs from
   * the list of another arm. `otherPlace` is the index of that other arm. Undefined if there is no
   * such sum.
   */
  readonly belowPoint?: (otherPlace: number) => number | undefined;
  /**
   * Whether users examine the lists of a pair from the top: whether a window has a sharper form for
   * the pair.
   */
  isBelowRight?(model: string, reference: string, snapshot: Snapshot): boolean;
  /** Whether a new source of γ restarts the comparison. */
  readonly restsOnGamma: boolean;
  /** Add a closed pane. @returns the limit on requests for the next pane. */
  add(closed: ClosedPane): RequestCap | null;
  /**
   * Reason for which the numbers of a pair, and so its verdict, are withheld or refused; null if
   * there is none.
   */
  objection(model: string, reference: string, snapshot: Snapshot): Objection | null;
  /**
   * Whether the estimates of a model over all interactions are withheld, so that only organic
   * interactions are summed.
   */
  isOfUncaused?(model: string, snapshot: Snapshot): boolean;
}
