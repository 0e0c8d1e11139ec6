import type { AskedLookup } from '../../stream/flow.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';

/** Source of lookups of single items and users, and of the snapshot that they belong to. */
export interface LookupSource {
  latest(): Snapshot | undefined;
  /** Lookups of the newest snapshot; undefined if another process shows the numbers. */
  lookup(): AskedLookup | undefined;
  /** Names of the configured windows. */
  readonly windows: readonly string[];
}
