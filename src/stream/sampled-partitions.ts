import type { ClosedPanes } from '../state/closed-panes.js';
import type { Reach } from '../state/reach.js';
import type { PartitionInput } from './tick.js';

/** A partition with everybody who was kept in it. */
export interface PartitionSource extends Pick<PartitionInput, 'userCounts' | 'users'> {
  readonly closed: ClosedPanes;
  /** As `PartitionInput.reach`, of the users of this depth or more. */
  readonly reach?: (
    from: number,
    to: number,
    items: number,
    level: number,
  ) => Generator<void, Reach>;
}

/**
 * What a tick reads where users have to lie so deep. It is the same level for all partitions: a
 * user's chance to be in the sample must not depend on where the user lives.
 */
export function* sampledPartitions(
  partitions: readonly PartitionSource[],
  level: number,
): Generator<void, PartitionInput[]> {
  const sampled: PartitionInput[] = [];
  for (const { closed, reach, ...users } of partitions) {
    sampled.push({
      ...users,
      closed: yield* closed.sampled(level),
      reach: reach && ((from, to, items) => reach(from, to, items, level)),
    });
  }
  return sampled;
}
