import type { AskedLookup } from '../../stream/flow.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';

/** What is known of single items and users, and of which snapshot. */
export interface LookupSource {
  latest(): Snapshot | undefined;
  /** Undefined where another process has it. */
  lookup(): AskedLookup | undefined;
  /** Names of the windows that are computed. */
  readonly windows: readonly string[];
}
