import type { Snapshot } from '../../src/stream/snapshot.js';
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

/** Snapshots without the A/B answer and the verdicts that rest on it: several workers report none. */
export function withoutTest(snapshots: readonly object[]): object[] {
  return snapshots.map((snapshot) => {
    const {
      experiment: _e,
      isTestElsewhere: _i,
      verdicts: _v,
      ...others
    } = snapshot as Partial<Snapshot>;
    return others;
  });
}
