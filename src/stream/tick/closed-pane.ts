import type { PaneCounts } from '../../state/panes/pane-content.js';
import { type RequestTally, talliedTogether } from '../../state/requests/request-faults.js';
import type { Snapshot } from './snapshot.js';

/** Counts of a closed pane's events over all partitions, without item counts; see `PaneCounts`. */
export type SettledPane = Pick<
  PaneCounts,
  'unranked' | 'overUserCap' | 'sampledOut' | 'listing'
> & {
  /** Number of lists by model. */
  readonly lists: ReadonlyMap<number, number>;
  /** Number of lists whose model is not tracked. */
  readonly listsUnplaced: number;
  /** Numbers of invalid and dropped requests, if there are any. */
  readonly requests?: RequestTally | undefined;
};

/** A pane that closed in all partitions, with its snapshot. */
export interface ClosedPane extends SettledPane {
  readonly snapshot: Snapshot;
  /** Number of lists whose model is not evaluated. */
  readonly listsLeftOut: number;
}

/** Counts of a closed pane's events in one partition, without item counts. */
export type CountedPane = Pick<
  PaneCounts,
  'listing' | 'lists' | 'unplaced' | 'unranked' | 'overUserCap' | 'sampledOut' | 'requests'
>;

/** Add up the panes of several partitions. */
export function settledTogether(parts: readonly CountedPane[]): SettledPane {
  const sum = (of: (part: CountedPane) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  const lists = new Map<number, number>();
  for (const part of parts) {
    part.listing.forEach((model, n) => {
      lists.set(model, (lists.get(model) ?? 0) + part.lists[n]);
    });
  }
  const requests = talliedTogether(parts.map((part) => part.requests));
  return {
    lists,
    ...(requests && { requests }),
    listsUnplaced: sum(({ unplaced }) => unplaced.lists),
    listing: [...new Set(parts.flatMap(({ listing }) => listing))],
    unranked: sum(({ unranked }) => unranked),
    overUserCap: sum(({ overUserCap }) => overUserCap),
    sampledOut: {
      interactions: sum(({ sampledOut }) => sampledOut.interactions),
      exposures: sum(({ sampledOut }) => sampledOut.exposures),
    },
  };
}
