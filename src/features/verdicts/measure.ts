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
  /** The point that holds what an arm earned from the first place on where its list and another's differ. */
  readonly belowPoint?: (otherPlace: number) => number | undefined;
  /** Whether users go through lists from the top, as far as the longest window tells. */
  isBelowRight?(model: string, reference: string, snapshot: Snapshot): boolean;
  /** Whether models begin again where γ comes from another source. */
  readonly restsOnGamma: boolean;
  /** Adds what the pane that has closed brings. @returns the cap for the next one. */
  add(closed: ClosedPane): RequestCap | null;
  /** Why numbers of a pair are withheld or refused, and a verdict with them. */
  objection(model: string, reference: string, snapshot: Snapshot): Objection | null;
  /** Whether a model's estimates are withheld, and what users found by themselves is summed instead. */
  isOfUncaused?(model: string, snapshot: Snapshot): boolean;
}
