import type { Snapshot } from '../../stream/snapshot.js';
import type { Objection } from '../evidence.js';
import type { Rung } from '../verdict.js';
import type { DecisionSources } from './decision-sources.js';
import type { ModelEpochs } from './model-epochs.js';
import type { RunningSums, SumsShape } from './running-sums.js';

/** What models are judged by. */
export interface Measure {
  /** As verdicts name it. */
  readonly name: { readonly metric: string; readonly k: number | null };
  readonly rung: Rung;
  readonly shape: SumsShape;
  /** Whether models begin again where γ comes from another source. */
  readonly restsOnGamma: boolean;
  /** Adds what the pane that has closed brings. */
  add(
    sums: RunningSums,
    epochs: ModelEpochs,
    snapshot: Snapshot,
    sources: DecisionSources,
  ): Generator<void, void>;
  /** Why numbers of a pair are withheld or refused, and a verdict with them. */
  objection(model: string, reference: string, snapshot: Snapshot): Objection | null;
  /** Whether a model's estimates are withheld, and what users found by themselves is summed instead. */
  isOfUncaused?(model: string, snapshot: Snapshot): boolean;
}
