import { passText } from '../../estimators/partitions/item-sums.js';
import type { NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { HeardModels, PlacedModels } from '../../state/ids/heard-models.js';
import { NONE_UNPLACED } from '../../state/ids/heard-models.js';
import type { Interner } from '../../state/ids/interner.js';
import type { PaneCounts } from '../../state/panes/pane-content.js';
import type { RequestFault } from '../../state/requests/request-faults.js';
import type { CountedPane } from '../closed-pane.js';
import { taken } from './item-totals.js';

/** What a partition says of a pane that it has closed, beside its counts of items. */
export interface PaneFacts {
  readonly counts: CountedPane;
  /** Models that have a place in it. */
  readonly models: HeardModels;
  /** Event time, ms, where what popularity counts begins; Infinity if nothing is counted. */
  readonly countedSince: number;
}

/** As it is written: models by their names, and what JSON cannot say as null. */
interface Written {
  readonly listing: readonly string[];
  readonly lists: readonly number[];
  readonly unplaced: PaneCounts['unplaced'];
  readonly unranked: number;
  readonly overUserCap: number;
  readonly sampledOut: PaneCounts['sampledOut'];
  readonly requests?: {
    readonly faults: readonly (readonly [RequestFault, number])[];
    readonly sampledOut: number;
  };
  readonly models: readonly (readonly [name: string, first: number, last: number])[];
  readonly countedSince: number | null;
}

export function writeFacts(
  to: NumberWriter,
  { counts, models, countedSince }: PaneFacts,
  names: Interner,
): void {
  const { listing, lists, unplaced, unranked, overUserCap, sampledOut, requests } = counts;
  const written: Written = {
    lists,
    unplaced,
    unranked,
    overUserCap,
    sampledOut,
    listing: listing.map((model) => names.text(model)),
    ...(requests && { requests: { ...requests, faults: [...requests.faults] } }),
    models: Array.from(models, ([model, { first, last }]) => [names.text(model), first, last]),
    countedSince: Number.isFinite(countedSince) ? countedSince : null,
  };
  passText(to, JSON.stringify(written));
}

/** Reads them; models have the numbers of this process, new ones where they had none. */
export function readFacts(from: NumberReader, names: Interner): PaneFacts {
  const { listing, requests, models, countedSince, ...counts } = JSON.parse(
    passText(from, ''),
  ) as Written;
  return {
    counts: {
      ...counts,
      listing: listing.map((name) => taken(names, name)),
      ...(requests && { requests: { ...requests, faults: new Map(requests.faults) } }),
    },
    models: new Map(models.map(([name, first, last]) => [taken(names, name), { first, last }])),
    countedSince: countedSince ?? Number.POSITIVE_INFINITY,
  };
}

/** Which models have a place, as of the pane that the facts are of. */
export function placedIn(pane: number, { models, counts }: PaneFacts): PlacedModels {
  return { models, unplacedIn: (asked) => (asked === pane ? counts.unplaced : NONE_UNPLACED) };
}
