import type { PaneCounts } from '../../state/panes/pane-content.js';
import { type RequestTally, talliedTogether } from '../../state/requests/request-faults.js';
import type { Snapshot } from './snapshot.js';

/** Counts of the events of a pane, beside its numbers; see `PaneCounts`. */
export type SettledPane = Pick<
  PaneCounts,
  'unranked' | 'overUserCap' | 'sampledOut' | 'listing'
> & {
  /** How many lists each model had. */
  readonly lists: ReadonlyMap<number, number>;
  /** Lists of models that found no place. */
  readonly listsUnplaced: number;
  /** What became of requests beside their rows; if there is anything to say. */
  readonly requests?: RequestTally | undefined;
};

/** A pane that closed in all partitions, with its numbers. */
export interface ClosedPane extends SettledPane {
  readonly snapshot: Snapshot;
  /** Lists of models that are not evaluated. */
  readonly listsLeftOut: number;
}

/** What a pane of one partition came to beside its counts of items. */
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
