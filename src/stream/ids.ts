import type { SegmentTable } from '../events/segment-table.js';
import type { Interner } from '../state/ids/interner.js';
import type { UserIds } from '../state/ids/user-depths.js';

/** Ids of a partition's users by number. */
export interface UserTable {
  hash(user: number): number;
  text(user: number): string;
}

/** Ids of all partitions: items and models are global, users belong to their partition. */
export interface Ids {
  readonly items: Interner;
  readonly models: Interner;
  /** Ids of a partition's users, for the bootstrap and for sampling. */
  readonly users?: (partition: number) => UserTable & UserIds;
}

/** Ids of a stream. */
export interface StreamIds extends Ids {
  /** Model names in events, of any number; `models` has the tracked ones. */
  readonly modelNames: Interner;
  /** Values of dimensions; undefined without segment dimensions. */
  readonly segments?: SegmentTable | undefined;
}

/** A model with its dense number. */
export interface NamedModel {
  readonly name: string;
  readonly id: number;
}

/** Models by name in code-point order, so that their order of arrival does not matter. */
export function namedModels(ids: Iterable<number>, names: Interner): NamedModel[] {
  return [...ids]
    .sort((a, b) => names.compare(a, b))
    .map((id) => ({
      name: names.text(id),
      id,
    }));
}
