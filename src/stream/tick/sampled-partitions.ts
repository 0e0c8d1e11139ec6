import type { Reach } from '../../state/counts/reach.js';
import type { ClosedPanes } from '../../state/panes/closed-panes.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { PartitionInput, UserTable } from './tick.js';
import { type RowSource, windowRows } from './window-rows.js';

/** A partition with everybody who was kept in it. */
export interface PartitionSource extends Pick<RowSource, 'userCounts'> {
  readonly closed: ClosedPanes;
  /** The users' ids; only where users are resampled or sets drawn. */
  readonly users?: UserTable | undefined;
  /** As `RowSource.reach`, of the users of this depth or more. */
  readonly reach?: (
    from: number,
    to: number,
    items: number,
    level: number,
  ) => Generator<void, Reach>;
}

/** What is left of a partition for a tick. */
export interface SampledPartition extends PartitionInput {
  readonly rows: readonly PaneRows[];
}

/**
 * What a tick reads where users have to lie so deep. It is the same level for all partitions: a
 * user's chance to be in the sample must not depend on where the user lives.
 */
export function* sampledPartitions(
  partitions: readonly PartitionSource[],
  level: number,
): Generator<void, SampledPartition[]> {
  const sampled: SampledPartition[] = [];
  for (const partition of partitions) sampled.push(yield* sampledPartition(partition, level));
  return sampled;
}

function* sampledPartition(
  { closed, userCounts, users, reach }: PartitionSource,
  level: number,
): Generator<void, SampledPartition> {
  const kept = yield* closed.sampled(level);
  const source: RowSource = {
    closed: kept,
    userCounts,
    keyOf: users && ((user) => users.hash(user)),
    reach: reach && ((from, to, items) => reach(from, to, items, level)),
  };
  return {
    rows: kept.rows,
    knowsReach: reach !== undefined,
    part: (request) => windowRows(source, request),
  };
}
