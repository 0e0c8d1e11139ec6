import type { SegmentTable } from '../events/segment-table.js';
import type { Interner } from '../state/ids/interner.js';
import type { UserIds } from '../state/ids/user-depths.js';

/** Users of a partition by their dense numbers. */
export interface UserTable {
  hash(user: number): number;
  text(user: number): string;
}

/** Ids of all partitions: items and models are global, users belong to their partition. */
export interface Ids {
  readonly items: Interner;
  readonly models: Interner;
  /** Ids of a partition's users; the bootstrap and the sampling of users need them. */
  readonly users?: (partition: number) => UserTable & UserIds;
}

/** Ids of a stream. */
export interface StreamIds extends Ids {
  /** Models as events name them, of which there may be any number; `models` have a place. */
  readonly modelNames: Interner;
  /** Values of dimensions; only where rows are divided by any. */
  readonly segments?: SegmentTable | undefined;
}

/** A model with its dense number. */
export interface NamedModel {
  readonly name: string;
  readonly id: number;
}

/** Models by name in code-point order, so that nothing depends on which was seen first. */
export function namedModels(ids: Iterable<number>, names: Interner): NamedModel[] {
  return [...ids]
    .sort((a, b) => names.compare(a, b))
    .map((id) => ({
      name: names.text(id),
      id,
    }));
}
