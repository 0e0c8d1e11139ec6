import type { AskedLookup } from '../../stream/flow.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';

/** Lookups of single items and users, and the snapshot they belong to. */
export interface LookupSource {
  latest(): Snapshot | undefined;
  /** Undefined if another process has it. */
  lookup(): AskedLookup | undefined;
  /** Names of the windows that are computed. */
  readonly windows: readonly string[];
}
