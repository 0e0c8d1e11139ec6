import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { differences } from './compare.js';

/** Panes in order, one of each; those that came again must have been the same. */
export function paneSeries(snapshots: readonly Snapshot[]): Snapshot[] {
  const byPane = new Map<number, Snapshot>();
  for (const snapshot of snapshots) {
    const before = byPane.get(snapshot.paneEnd);
    const other = before === undefined ? [] : differences(snapshot, before, 1e-9);
    if (other.length > 0)
      throw new Error(`pane ${snapshot.paneEnd} came again, and differs: ${other}`);
    byPane.set(snapshot.paneEnd, snapshot);
  }
  return [...byPane.values()].sort((a, b) => a.paneEnd - b.paneEnd);
}
