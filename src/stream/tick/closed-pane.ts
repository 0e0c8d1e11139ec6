import type { PaneCounts } from '../../state/panes/pane-content.js';
import type { Snapshot } from '../snapshot.js';

/** What the events of a pane came to beside its numbers; see `PaneCounts`. */
export type SettledPane = Pick<PaneCounts, 'unranked' | 'overUserCap' | 'sampledOut' | 'listing'>;

/** A pane that closed in all partitions, with its numbers. */
export interface ClosedPane extends SettledPane {
  readonly snapshot: Snapshot;
}

/** Of several partitions together; nothing for none. */
export function settledTogether(parts: readonly SettledPane[]): SettledPane {
  const sum = (of: (part: SettledPane) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  return {
    listing: [...new Set(parts.flatMap(({ listing }) => listing))],
    unranked: sum(({ unranked }) => unranked),
    overUserCap: sum(({ overUserCap }) => overUserCap),
    sampledOut: {
      interactions: sum(({ sampledOut }) => sampledOut.interactions),
      exposures: sum(({ sampledOut }) => sampledOut.exposures),
    },
  };
}
