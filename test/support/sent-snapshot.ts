import type { EstimateRow } from '../../src/estimators/results/estimate.js';
import type { Snapshot, WindowSnapshot } from '../../src/stream/tick/snapshot.js';

/** An estimate as version 1 of the JSON has it, as far as tests read it. */
type SentRow = Omit<EstimateRow, 'form'> & { readonly aggregation: string };

/** A snapshot as `/api/v1/estimates` sends it, as far as tests read it. */
export type SentSnapshot = Omit<Snapshot, 'windows'> & {
  readonly windows: readonly (Omit<WindowSnapshot, 'results'> & {
    readonly results: readonly SentRow[];
  })[];
};
