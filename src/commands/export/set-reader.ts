import type { SetIds } from '../../export/hashed-ids.js';
import type { SetIntake } from '../../export/intake.js';
import type { ReadCounts, SetSource } from '../../export/manifest.js';

/** What was read for a set, of where. */
export interface ReadEvents {
  readonly sources: readonly SetSource[];
  readonly counts: Omit<ReadCounts, 'outsideRange' | 'interactions'>;
}

/** Brings the interactions of a set's sources into the store. */
export interface SetReader {
  read(intake: SetIntake, ids: SetIds): Promise<ReadEvents>;
}
