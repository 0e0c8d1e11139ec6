import type { SegmentTable } from '../events/segment-table.js';
import type { Interner } from '../state/ids/interner.js';
import type { UserIds } from '../state/ids/user-depths.js';

/** Texts and hashes of the ids of a partition's users, by number. */
export interface UserTable {
  hash(user: number): number;
  text(user: number): string;
}

/**
 * Id tables of all partitions. Items and models have one table each, and users have one per
 * partition.
 */
export interface Ids {
  readonly items: Interner;
  readonly models: Interner;
  /** Ids of a partition's users, for the bootstrap and for sampling. */
  readonly users?: (partition: number) => UserTable & UserIds;
}

/** Id tables that events are decoded into. */
export interface StreamIds extends Ids {
  /** All model names in events; `models` has only the tracked models. */
  readonly modelNames: Interner;
  /** Values of segment dimensions; undefined without segment dimensions. */
  readonly segments?: SegmentTable | undefined;
}

/** A model with its dense number. */
export interface NamedModel {
  readonly name: string;
  readonly id: number;
}

/**
 * Sort models by name in code-point order, so that results do not depend on the order of arrival.
 */
export function namedModels(ids: Iterable<number>, names: Interner): NamedModel[] {
  return [...ids]
    .sort((a, b) => names.compare(a, b))
    .map((id) => ({
      name: names.text(id),
      id,
    }));
}
